// SPDX-License-Identifier: BSD-3-Clause
#include <daedal/nearest_name.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <daedal/error.hpp>

namespace daedal {

namespace {

bool same_letter(char a, char b) {
  return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
}

/// Damerau's optimal string alignment distance, three rows of the table at a time.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(row);
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replace = last[j - 1] + (same_letter(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, replace});
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before_last[j - 2] + 1);
      }
    }
  }
  return row[b.size()];
}

/// Whether a candidate is the name and more words: `stop-time` for `stop`, `rod.mass` for `rod`.
bool continues(std::string_view candidate, std::string_view name) {
  return candidate.size() > name.size() && candidate.starts_with(name) && !name.empty() &&
         std::isalnum(static_cast<unsigned char>(candidate[name.size()])) == 0;
}

}  // namespace

std::string nearest_name(std::string_view name, std::span<const std::string> candidates) {
  // Something must be left of the name: 'x' is not near to 'L'.
  std::size_t best = std::min(std::max<std::size_t>(1, name.size() / 3) + 1, name.size());
  std::string nearest;
  for (const std::string& candidate : candidates) {
    if (continues(candidate, name)) return candidate;
    const std::size_t lengths_differ = candidate.size() > name.size()
                                           ? candidate.size() - name.size()
                                           : name.size() - candidate.size();
    if (lengths_differ >= best) continue;
    const std::size_t distance = edit_distance(name, candidate);
    if (distance >= best) continue;
    best = distance;
    nearest = candidate;
  }
  return nearest;
}

bool matches_glob(std::string_view text, std::string_view glob) {
  std::size_t t = 0;
  std::size_t g = 0;
  std::size_t star = std::string_view::npos;  // the last '*' seen: where to try again from
  std::size_t star_text = 0;
  while (t < text.size()) {
    if (g < glob.size() && glob[g] == '*') {
      star = g++;
      star_text = t;
    } else if (g < glob.size() && (glob[g] == '?' || glob[g] == text[t])) {
      ++g;
      ++t;
    } else if (star != std::string_view::npos) {
      g = star + 1;
      t = ++star_text;
    } else {
      return false;
    }
  }
  while (g < glob.size() && glob[g] == '*') ++g;
  return g == glob.size();
}

std::vector<std::size_t> select_columns(std::span<const std::string> names,
                                        std::span<const std::string> globs,
                                        std::span<const std::string> further) {
  std::vector<std::string> all(names.begin(), names.end());
  all.insert(all.end(), further.begin(), further.end());
  std::vector<bool> chosen(all.size());
  std::vector<std::size_t> columns;
  const auto choose = [&](std::size_t from, std::size_t to, const std::string& glob) {
    bool found = false;
    for (std::size_t i = from; i < to; ++i) {
      if (!matches_glob(all[i], glob)) continue;
      if (!chosen[i]) columns.push_back(i);
      chosen[i] = found = true;
    }
    return found;
  };
  if (globs.empty()) choose(0, names.size(), "*");
  for (const std::string& glob : globs) {
    if (choose(0, names.size(), glob) || choose(names.size(), all.size(), glob)) continue;
    const std::string nearest = nearest_name(glob, all);
    throw OptionError(ErrorCode::unknown_name,
                      fmt::format("No variable of the model matches '{}'.{}", glob,
                                  nearest.empty() ? "" : " Did you mean '" + nearest + "'?"));
  }
  return columns;
}

}  // namespace daedal
