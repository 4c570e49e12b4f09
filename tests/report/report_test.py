#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Reports in a real browser: they load, show the data, and can be used.

report_test.py PROGRAM [--screenshots FOLDER] [unittest options]"""

import csv
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from browser import Browser

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = str(ROOT / "build/bin/daedal")
SCREENSHOTS = None

CHART = "Chart.getChart(document.querySelector('#plots canvas'))"

HOSTILE = """model Hostile "a </script><script>document.title='broken'</script> description"
  Real '</script><img src=x onerror=alert(1)>'(start = 1, fixed = true) "<b>bold</b> & more";
equation
  der('</script><img src=x onerror=alert(1)>') = -'</script><img src=x onerror=alert(1)>' "<!-- rod";
  annotation(experiment(StopTime = 1));
end Hostile;
"""

# A spike much narrower than the points that a screen can show: 1 at t = 50.
SPIKE = """model Spike
  Real x(start = 0, fixed = true);
  Real y[30];
equation
  der(x) = cos(time);
  for i in 1:30 loop
    y[i] = exp(-((time - 50)/0.02)^2) + i;
  end for;
  annotation(experiment(StopTime = 100, Interval = 0.001));
end Spike;
"""


class ReportTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.browser = Browser().__enter__()

    @classmethod
    def tearDownClass(cls):
        cls.browser.__exit__(None, None, None)
        cls.folder.cleanup()

    def make(self, command, model, *options, name="report"):
        path = pathlib.Path(self.folder.name) / f"{name}.html"
        if not isinstance(model, pathlib.Path):
            text, model = model, pathlib.Path(self.folder.name) / f"{name}.mo"
            model.write_text(text)
        subprocess.run([PROGRAM, command, str(model), *options, "--report", str(path)], check=True,
                       stdout=subprocess.DEVNULL)
        self.browser.open(path)
        self.assertEqual(self.browser.problems(), [])
        if SCREENSHOTS:
            self.browser.screenshot(pathlib.Path(SCREENSHOTS) / f"{self.id().split('.')[-1]}.png")
        return path

    def data(self, index=0):
        return self.browser.evaluate(f"{CHART}.data.datasets[{index}].data.map(p => p.y)")

    def centre(self, selector):
        """Scrolls to the element; its box in the window."""
        return self.browser.evaluate(
            f"(() => {{ const e = document.querySelector({selector!r}); e.scrollIntoView({{block: 'center'}});"
            " const b = e.getBoundingClientRect(); return [b.left, b.top, b.width, b.height]; })()")

    def test_plot_has_the_extremes_of_the_rows(self):
        rows = pathlib.Path(self.folder.name) / "rows.csv"
        self.make("simulate", ROOT / "examples/limited_pendulum.mo", "-o", str(rows))
        with rows.open() as file:
            records = list(csv.DictReader(file))
        names = self.browser.evaluate(f"{CHART}.data.datasets.map(d => d.label)")
        self.assertEqual(names[0], "x")
        for index, name in enumerate(names):
            values = [float(record[name]) for record in records]
            shown = self.data(index)
            for extreme in (min, max):
                self.assertTrue(math.isclose(extreme(shown), extreme(values), rel_tol=1e-6, abs_tol=1e-9), name)

    def test_choosing_zooming_and_axes(self):
        self.make("simulate", ROOT / "examples/limited_pendulum.mo", name="zoom")
        n = self.browser.evaluate(f"{CHART}.data.datasets.length")
        self.browser.evaluate("document.querySelector('#plots .picker input[type=checkbox]').click()")
        self.assertEqual(self.browser.evaluate(f"{CHART}.data.datasets.length"), n - 1)
        scales = f"[{CHART}.scales.x.min, {CHART}.scales.x.max]"
        whole = self.browser.evaluate(scales)
        left, top, width, height = self.centre("#plots canvas")
        self.browser.drag((left + 0.4 * width, top + 0.3 * height), (left + 0.6 * width, top + 0.7 * height))
        zoomed = self.browser.evaluate(scales)
        self.assertGreater(zoomed[0], whole[0])
        self.assertLess(zoomed[1], whole[1])
        self.browser.double_click(left + 0.5 * width, top + 0.5 * height)
        self.assertEqual(self.browser.evaluate(scales), whole)
        self.browser.evaluate("document.querySelector('#plots canvas').focus()")
        self.browser.key("+")
        self.assertGreater(self.browser.evaluate(scales)[0], whole[0])
        self.browser.key("0")
        self.assertEqual(self.browser.evaluate(scales), whole)
        self.browser.evaluate(
            "(() => { const s = document.querySelector('#plots select'); s.value = '0';"
            " s.dispatchEvent(new Event('change')); })()")
        self.assertEqual(self.browser.evaluate(f"{CHART}.options.scales.x.title.text"), "x")
        # Over a variable that goes to and fro, the axis shows all that it passes.
        low, high = self.browser.evaluate(scales)
        xs = self.browser.evaluate(f"{CHART}.data.datasets[0].data.map(p => p.x)")
        self.assertLessEqual(low, min(xs))
        self.assertGreaterEqual(high, max(xs))
        self.browser.evaluate("[...document.querySelectorAll('#plots button')].find(b => b.textContent === 'log y').click()")
        self.assertEqual(self.browser.evaluate(f"{CHART}.scales.y.type"), "logarithmic")
        self.assertEqual(self.browser.problems(), [])

    def charts(self, section):
        """Labels and points of every chart of a section."""
        return self.browser.evaluate(
            f"[...document.querySelectorAll('#{section} canvas')].map(c => Chart.getChart(c)).filter(Boolean)"
            ".map(c => c.data.datasets.map(d => [d.label, d.data.map(p => [p.x, p.y])]))")

    def test_energy_and_order_over_time(self):
        self.make("simulate", ROOT / "examples/four_bar.mo", "--integrator", "bdf", "-p", "friction=0", name="energy")
        ((_, energy),), = self.charts("energy")
        values = [y for _, y in energy]
        # Without friction it stays; at the start it is the potential energy of the bars at rest, known to 1e-4 here
        # because the angles are: a^2/2 g sin(1.57) + b g y + c^2/2 g sin(rocker).
        start = 9.81*(0.5*math.sin(1.57) + 3*1.73515 + 3.125*math.sin(1.72509))
        self.assertAlmostEqual(values[0], start, delta=1e-3)
        self.assertLess(max(values) - min(values), 1e-4*start)
        sizes, orders = self.charts("steps")
        self.assertEqual(orders[0][0], "order")
        self.assertGreater(len({order for _, order in orders[0][1]}), 1)
        self.assertLessEqual(max(order for _, order in orders[0][1]), 5)  # of bdf
        self.assertEqual(len(orders[0][1]), len(sizes[0][1]))

    def test_boundary_values(self):
        self.make("solve-bvp", ROOT / "examples/swing_up.mo", name="bvp")
        self.assertIn("interval", self.browser.evaluate("document.querySelector('#summary').textContent"))
        self.assertTrue(self.data())
        self.assertIn("Mesh", self.browser.evaluate("document.querySelector('#steps').textContent"))

    def test_sweep(self):
        model = "model Decay parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end Decay;"
        self.make("sweep", model, "-p", "k=0:0.25:1", "--interval", "0.5", "--rtol", "1e-8", name="sweep")
        scatter, band, _ = self.charts("plots")
        for k, x in scatter[0][1]:
            self.assertAlmostEqual(x, math.exp(-k), delta=1e-6)
        self.assertEqual([k for k, _ in scatter[0][1]], [0, 0.25, 0.5, 0.75, 1])
        self.make("sweep", model, "-p", "k=1,0,0.5", name="unsorted")
        self.assertEqual(self.browser.evaluate(f"[{CHART}.scales.x.min, {CHART}.scales.x.max]"), [0, 1])
        self.make("sweep", model, "-p", "k=0:0.25:1", "--interval", "0.5", "--rtol", "1e-8", name="sweep")
        self.assertEqual([label for label, _ in band], ["median", "5 %", "95 %"])
        self.assertAlmostEqual(band[0][1][-1][1], math.exp(-0.5), delta=1e-6)
        self.assertIn("5 solved, 0 failed", self.browser.evaluate("document.querySelector('#summary').textContent"))

    def test_rows_written_before(self):
        folder = pathlib.Path(self.folder.name)
        for name in ("rows.json", "rows.csv"):
            rows = folder / name
            subprocess.run([PROGRAM, "simulate", str(ROOT / "examples/limited_pendulum.mo"), "--quiet", "-o", str(rows)], check=True)
            subprocess.run([PROGRAM, "report", str(rows), "--quiet"], check=True)
            self.browser.open(rows.with_suffix(".html"))
            self.assertEqual(self.browser.problems(), [])
            self.assertEqual(self.browser.evaluate(f"{CHART}.data.datasets.map(d => d.label)")[:2], ["x", "y"])
            self.assertAlmostEqual(max(self.data(0)), 0.8, delta=0.3)
            self.assertTrue(self.browser.evaluate("document.querySelector('#animation canvas') !== null"))

    def test_documents_written_before(self):
        folder = pathlib.Path(self.folder.name)
        for command, section in (("simulate", "summary"), ("analyze", "structure"),
                                 ("compare --methods ggl,index1", "work"), ("sweep -p g=9:1:11", "statistics")):
            document = folder / "document.json"
            words = command.split()
            run = subprocess.run([PROGRAM, words[0], str(ROOT / "examples/limited_pendulum.mo"), *words[1:], "--json"],
                                 check=True, capture_output=True)
            document.write_bytes(run.stdout)
            subprocess.run([PROGRAM, "report", str(document), "--quiet"], check=True)
            self.browser.open(document.with_suffix(".html"))
            self.assertEqual(self.browser.problems(), [], command)
            self.assertTrue(self.browser.evaluate(f"document.querySelector('#{section}') !== null"), command)

    def test_methods_over_time(self):
        self.make("compare", ROOT / "examples/four_bar.mo", "--methods", "ggl,index1", "--tolerances", "1e-4,1e-6",
                  "-p", "friction=0", "--stop-time", "1", name="over_time")
        drift, energy = self.charts("time")
        self.assertEqual(len(drift), 2)
        self.assertEqual(len(energy), 2)
        # The greatest value over time is the one in the table.
        rows = self.browser.evaluate("JSON.parse(document.getElementById('data').textContent).run.rows"
                                     ".filter(row => row.rtol === 1e-4)")
        for row, (_, residuals), (_, changes) in zip(rows, drift, energy):
            self.assertAlmostEqual(max(y for _, y in residuals)/row["constraints"]["0"], 1, delta=1e-6)
            self.assertAlmostEqual(max(y for _, y in changes)/row["energy_drift"], 1, delta=1e-6)
        self.assertIn("Energy", self.browser.evaluate("document.querySelector('#rows thead').textContent"))

    def test_papers(self):
        path = pathlib.Path(self.folder.name) / "papers.html"
        run = subprocess.run([PROGRAM, "reproduce", "campbell-moore", "--report", str(path)], check=True,
                             capture_output=True, text=True)
        self.browser.open(path)
        self.assertEqual(self.browser.problems(), [])
        self.assertGreaterEqual(self.browser.evaluate("document.querySelectorAll('table').length"), 1)
        self.assertIn("in brackets", run.stdout)

    def test_animation_plays_and_scrubs(self):
        self.make("simulate", ROOT / "examples/limited_pendulum.mo", name="animation")
        picture = "document.querySelector('#animation canvas').toDataURL()"
        first = self.browser.evaluate(picture)
        self.browser.evaluate("(() => { const s = document.querySelector('#animation input[type=range]');"
                              " s.value = 300; s.dispatchEvent(new Event('input')); })()")
        self.assertNotEqual(self.browser.evaluate(picture), first)
        self.assertEqual(self.browser.evaluate("document.querySelector('#animation output').textContent"), "t = 1.5")
        self.browser.evaluate("document.querySelector('#animation button').click()")
        self.browser.wait("document.querySelector('#animation output').textContent !== 't = 1.5'")
        self.assertEqual(self.browser.problems(), [])

    def test_animation_by_the_user(self):
        self.make("simulate", ROOT / "problems/four_bar.mo", "--animate",
                  "rod(0,0; a*cos(th1), a*sin(th1); a*cos(th1) + b*cos(th2), a*sin(th1) + b*sin(th2); d,0)"
                  " body(a*cos(th1), a*sin(th1)) trace(a*cos(th1) + b*cos(th2), a*sin(th1) + b*sin(th2))")
        self.assertIsNone(self.browser.evaluate("document.querySelector('#animation .bad')?.textContent ?? null"))
        # More than the two axes is drawn.
        self.assertGreater(self.browser.evaluate(
            "(() => { const c = document.querySelector('#animation canvas');"
            " const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data; let n = 0;"
            " for (let i = 3; i < d.length; i += 4) if (d[i] > 200) ++n; return n; })()"), 2000)

    def test_animation_of_the_model(self):
        for model, spatial in (("problems/squeezer.mo", False), ("examples/robot_arm.mo", True)):
            self.make("simulate", ROOT / model, name="annotated")
            said = self.browser.evaluate("document.querySelector('#animation p').textContent")
            self.assertIn("The shapes are those of the model or of --animate", said)
            self.assertEqual("Drag" in said, spatial)
        picture = "document.querySelector('#animation canvas').toDataURL()"
        before = self.browser.evaluate(picture)
        self.browser.evaluate("document.querySelector('#animation canvas')"
                              ".dispatchEvent(new KeyboardEvent('keydown', {key: 'ArrowLeft'}))")
        self.assertNotEqual(self.browser.evaluate(picture), before)
        if SCREENSHOTS:
            self.browser.screenshot(pathlib.Path(SCREENSHOTS) / "robot_arm.png")

    def test_wrong_shapes_of_the_model_cost_no_run(self):
        text = (ROOT / "examples/robot_arm.mo").read_text().replace("trace(xH", "trace(xHand")
        model, path = (pathlib.Path(self.folder.name) / name for name in ("wrong.mo", "wrong.html"))
        model.write_text(text)
        run = subprocess.run([PROGRAM, "simulate", str(model), "--report", str(path)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("annotation(daedal(animate)) names 'xHand'", run.stderr)
        self.assertFalse(path.exists())

    def test_names_and_texts_are_only_text(self):
        self.make("simulate", HOSTILE, name="hostile")
        self.assertEqual(self.browser.evaluate("document.title"), "Hostile")
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('img').length"), 0)
        self.assertEqual(self.browser.evaluate(f"{CHART}.data.datasets[0].label"),
                         "</script><img src=x onerror=alert(1)>")

    def test_thinning_keeps_a_spike(self):
        path = self.make("simulate", SPIKE, name="spike")
        self.assertLess(path.stat().st_size, 10e6)
        self.browser.evaluate(
            "[...document.querySelectorAll('#plots .picker label')].find(l => l.textContent.startsWith('y[1]'))"
            ".querySelector('input').click()")
        labels = self.browser.evaluate(f"{CHART}.data.datasets.map(d => d.label)")
        self.assertIn("y[2]", labels)
        self.assertAlmostEqual(max(self.data(labels.index("y[2]"))), 3.0, places=6)

    def test_constraints_steps_and_structure(self):
        path = self.make("simulate", ROOT / "problems/slider_crank.mo", "--method", "ggl", "--stop-time", "0.3",
                         name="sections")
        self.assertLess(path.stat().st_size, 1.5e6)
        for section in ("summary", "plots", "decisions", "constraints", "steps", "structure", "final"):
            self.assertTrue(self.browser.evaluate(f"document.getElementById('{section}') !== null"), section)
        self.assertIn("slider", self.browser.evaluate("document.getElementById('structure').textContent"))
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#constraints canvas').length"), 1)

    def test_comparison(self):
        self.make("compare", ROOT / "problems/four_bar.mo", "--methods", "index1,ggl,baumgarte", "--tolerances",
                  "1e-5,1e-7", "--stop-time", "1", name="compare")
        labels = self.browser.evaluate(
            "Chart.getChart(document.querySelector('#work canvas')).data.datasets.map(d => d.label.split(' ')[0])")
        self.assertEqual(labels, ["index1", "ggl", "baumgarte"])
        self.assertEqual(self.browser.evaluate("document.querySelectorAll('#rows tbody tr').length"), 6)

    def test_methods_that_fail(self):
        self.make("compare", ROOT / "examples/linkage.mo", "--methods", "trust-region,ggl,auto", "--tolerances", "1e-4,1e-6",
                  "--stop-time", "0.2", name="failing")
        self.assertIn("3 methods on Linkage, 4 runs of 6", self.browser.evaluate("document.querySelector('#summary').textContent"))
        self.assertNotIn("Energy", self.browser.evaluate("document.querySelector('#rows thead').textContent"))
        # A method has one colour in all charts.
        self.assertEqual(*(self.browser.evaluate(
            f"(d => d[d.length - 1].borderColor)(Chart.getChart(document.querySelector('#{section} canvas')).data.datasets)")
            for section in ("work", "time")))
        # Why is said once, beside the table.
        reasons = self.browser.evaluate("[...document.querySelectorAll('#rows .notice')].map(e => e.textContent)")
        self.assertEqual(len(reasons), 1, reasons)
        self.assertRegex(reasons[0], r"^ggl \+ radau: .*'middle crank'")

    def test_redundant_constraints_are_hidden_ones_too(self):
        self.make("analyze", ROOT / "examples/linkage.mo", name="redundant")
        text = self.browser.evaluate("document.getElementById('structure').textContent")
        self.assertRegex(text, r"Hidden constraints.*'middle crank' \(line 25\) twice")

    def test_analysis(self):
        self.make("analyze", ROOT / "problems/pendulum.mo", name="analysis")
        text = "document.getElementById('structure').textContent"
        self.assertIn("Hidden constraints", self.browser.evaluate(text))
        # Two of motion and the rod are solved together; a cell says what it stands for.
        self.assertIn("in 1 block", self.browser.evaluate("document.getElementById('incidence').getAttribute('aria-label')"))
        self.assertIn("Solved together", self.browser.evaluate(text))
        self.browser.evaluate("(c => { const r = c.getBoundingClientRect(); c.dispatchEvent(new PointerEvent('pointermove',"
                              " {clientX: r.left + 3, clientY: r.top + 3})); })(document.getElementById('incidence'))")
        self.assertRegex(self.browser.evaluate("document.querySelector('#incidence + p').textContent"), "contain .*|contains .*")
        colours = self.browser.evaluate(
            "(c => { const d = c.getContext('2d').getImageData(0, 0, c.width, c.height).data, s = new Set();"
            " for (let i = 0; i < d.length; i += 4) s.add(`${d[i]},${d[i+1]},${d[i+2]}`); return [...s]; })"
            "(document.getElementById('incidence'))")
        self.assertGreaterEqual(len(colours), 4)  # the page, both kinds of entries, frames

    def test_dark_and_light(self):
        self.make("simulate", ROOT / "examples/bouncing_ball.mo", name="dark")
        before = self.browser.evaluate("getComputedStyle(document.body).backgroundColor")
        self.browser.evaluate("document.getElementById('theme').click()")
        self.assertNotEqual(self.browser.evaluate("getComputedStyle(document.body).backgroundColor"), before)
        self.assertEqual(self.browser.problems(), [])
        if SCREENSHOTS:
            self.browser.screenshot(pathlib.Path(SCREENSHOTS) / "dark.png")

    def test_residuals_at_the_steps_are_joined(self):
        # The model asks for rows between the steps, which have no residuals.
        self.make("simulate", ROOT / "examples/linkage.mo", name="residuals")
        (*levels,), = self.charts("constraints")
        n_times = self.browser.evaluate("JSON.parse(document.getElementById('data').textContent).steps.time.length")
        self.assertEqual([label for label, _ in levels], ["level 0", "level 1", "level 2"])
        for _, points in levels:
            self.assertEqual(len(points), n_times)
            self.assertTrue(all(isinstance(y, float) for _, y in points))

    def test_narrow_windows(self):
        calls = (("simulate", ROOT / "examples/linkage.mo"), ("analyze", ROOT / "problems/squeezer.mo"),
                 ("compare", ROOT / "problems/pendulum.mo", "--methods", "ggl,index1", "--tolerances", "1e-4,1e-6"),
                 ("sweep", ROOT / "problems/pendulum.mo", "-p", "g=9:1:11"))
        try:
            self.browser.call("Emulation.setDeviceMetricsOverride", width=380, height=800, deviceScaleFactor=1, mobile=False)
            for command, model, *options in calls:
                self.make(command, model, *options, name=f"narrow_{command}")
                self.assertLessEqual(self.browser.evaluate("document.documentElement.scrollWidth"), 380, command)
                # A number stands on one line.
                self.assertEqual(self.browser.evaluate(
                    "[...document.querySelectorAll('td.number')].filter(c => c.getClientRects().length > 1 ||"
                    " c.clientHeight < c.scrollHeight || (r => { r.selectNodeContents(c); return r.getClientRects().length > 1; })"
                    "(document.createRange())).length"), 0, command)
        finally:
            self.browser.call("Emulation.clearDeviceMetricsOverride")

    def test_contrast(self):
        """Texts have a contrast of 4.5 to what is behind them and lines one of 3 (WCAG 2.1), light and dark."""
        model = "model Many Real x[8](each start = 1, each fixed = true); equation for i in 1:8 loop der(x[i]) = -i*x[i]; end for; end Many;"
        self.make("simulate", model, "--stop-time", "1", name="contrast")
        self.browser.evaluate("document.querySelectorAll('#plots .picker input[type=checkbox]:not(:checked)').forEach(b => b.click())")

        def luminance(colour):
            channels = ([int(colour[i:i + 2], 16) for i in (1, 3, 5)] if colour.startswith("#")
                        else [int(number) for number in re.findall(r"\d+", colour)[:3]])
            parts = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055)**2.4 for c in channels]
            return 0.2126 * parts[0] + 0.7152 * parts[1] + 0.0722 * parts[2]

        def contrast(a, b):
            low, high = sorted((luminance(a), luminance(b)))
            return (high + 0.05) / (low + 0.05)
        for _ in ("light", "dark"):
            card = self.browser.evaluate("getComputedStyle(document.querySelector('.card')).backgroundColor")
            lines = self.browser.evaluate(f"{CHART}.data.datasets.map(d => d.borderColor)")
            self.assertEqual(len(set(lines)), 8)
            for line in lines:
                self.assertGreaterEqual(contrast(line, card), 3.0, line)
            texts = self.browser.evaluate("[...document.querySelectorAll('.card *')].filter(e => e.children.length === 0"
                                          " && e.textContent.trim()).map(e => getComputedStyle(e).color)")
            for text in set(texts):
                self.assertGreaterEqual(contrast(text, card), 4.5, text)
            self.browser.evaluate("document.getElementById('theme').click()")

    def test_paper_is_light_and_has_whole_tables(self):
        self.make("simulate", ROOT / "problems/squeezer.mo", name="paper")
        is_dark = "document.documentElement.classList.contains('dark')"
        if not self.browser.evaluate(is_dark):
            self.browser.evaluate("document.getElementById('theme').click()")
        self.browser.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertFalse(self.browser.evaluate(is_dark))
        self.browser.call("Emulation.setEmulatedMedia", media="print")
        self.assertTrue(self.browser.evaluate(
            "[...document.querySelectorAll('.scroll')].every(e => e.scrollHeight <= e.clientHeight + 1)"))
        self.browser.call("Emulation.setEmulatedMedia", media="")
        self.browser.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertTrue(self.browser.evaluate(is_dark))
        self.assertEqual(self.browser.problems(), [])

    def test_failed_run_says_what_to_try(self):
        path = pathlib.Path(self.folder.name) / "failed.html"
        run = subprocess.run([PROGRAM, "simulate", str(ROOT / "problems/impasse.mo"), "--report", str(path)],
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.assertNotEqual(run.returncode, 0)
        self.browser.open(path)
        self.assertEqual(self.browser.problems(), [])
        self.assertIn("What to try", self.browser.evaluate("document.getElementById('summary').textContent"))

    def test_unknown_name_in_animation_costs_no_run(self):
        path = pathlib.Path(self.folder.name) / "never.html"
        run = subprocess.run([PROGRAM, "simulate", str(ROOT / "problems/four_bar.mo"), "--animate", "rod(0,0; q,1)",
                              "--report", str(path)], capture_output=True, text=True)
        self.assertEqual(run.returncode, 2)
        self.assertIn("'q'", run.stderr)
        self.assertFalse(path.exists())


if __name__ == "__main__":
    arguments = sys.argv[1:]
    if "--screenshots" in arguments:
        place = arguments.index("--screenshots")
        SCREENSHOTS = arguments[place + 1]
        pathlib.Path(SCREENSHOTS).mkdir(parents=True, exist_ok=True)
        del arguments[place:place + 2]
    if arguments and not arguments[0].startswith("-") and "." not in pathlib.Path(arguments[0]).name:
        PROGRAM = str(pathlib.Path(arguments.pop(0)).resolve())
    unittest.main(argv=[sys.argv[0], *arguments], verbosity=2)
