# SPDX-License-Identifier: BSD-3-Clause
# Daedal in a container, made by the project's own set-up; docker and podman take the same words:
#
#     docker build -t daedal .
#     docker run --rm -v "$PWD":/models daedal simulate pendulum.mo -o run.csv --report run.html

FROM debian:12 AS build
WORKDIR /daedal
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends make
# The packages that the build needs change seldom: a layer of their own.
COPY scripts/install-deps.sh scripts/
RUN scripts/install-deps.sh packages
COPY . .
RUN make packages

FROM debian:12
COPY --from=build /daedal/build-packages/*.deb /tmp/packages/
RUN apt-get update -qq && apt-get install -y -qq --no-install-recommends /tmp/packages/*.deb \
  && rm -rf /tmp/packages /var/lib/apt/lists/*
WORKDIR /models
ENTRYPOINT ["daedal"]
