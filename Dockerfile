# Countersign without a desktop window: receiver, sandbox, and the app in the browser. To run it, see docs/ci.md.
# By digest, because a tag can be moved. Dependabot proposes newer ones; docs/contributing/release.md says how to verify one.
FROM node:24.21.0-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20 AS package
WORKDIR /build
COPY package.json package-lock.json .npmrc ./
RUN npm ci --no-fund --no-audit
COPY . .
RUN npm pack --pack-destination /tmp

FROM node:24.21.0-slim@sha256:d6aa754f16b3197301076f047b5def2f02ea1dbbc2ca920407d46d7ec7f87b20
COPY --from=package /tmp/countersign-*.tgz /tmp/
RUN npm install --global --no-fund --no-audit /tmp/countersign-*.tgz && rm /tmp/countersign-*.tgz && mkdir /data && chown node:node /data
USER node
ENV COUNTERSIGN_DATA=/data
VOLUME /data
# The app, the receiver (HTTPS), and the sandbox.
EXPOSE 4780 4783 4784
HEALTHCHECK --interval=30s --timeout=10s --start-period=20s CMD ["countersign", "sandbox", "clock", "show"]
# Published ports reach the container from outside its loopback, so it listens on every address. Publish on 127.0.0.1 only, as in compose.yaml.
ENTRYPOINT ["countersign"]
CMD ["serve", "--host", "0.0.0.0", "--dangerously-bind", "--no-open"]
