/**
 * Headers that differ in each request, whatever it carries: a retry with others of these isn't a fault. Names are in lower case; `*`
 * stands for any characters.
 */
interface RequestHeaders {
  /** What sets them. */
  readonly by: string
  readonly names: readonly string[]
}

const requestHeaders: readonly RequestHeaders[] = [
  { by: 'request ID', names: ['*request-id', '*correlation-id', '*trace-id', '*invocation-id'] },
  {
    by: 'tracing',
    names: ['traceparent', 'tracestate', 'baggage', 'b3', 'x-b3-*', 'uber-trace-id', 'uberctx-*'],
  },
  { by: 'tracing', names: ['x-datadog-*', 'newrelic', 'sentry-trace', 'x-ot-span-context'] },
  { by: 'tracing', names: ['x-cloud-trace-context', 'elastic-apm-traceparent', 'x-instana-*'] },
  { by: 'CDN', names: ['cf-*', 'cdn-loop', 'fastly-*', 'x-akamai-*', 'akamai-*', 'x-azure-*'] },
  {
    by: 'CDN',
    names: ['x-amz-cf-id', 'cloudfront-*', 'x-vercel-*', 'x-nf-*', 'fly-*', 'x-edge-*'],
  },
  // The next attempt may take another way, on another connection.
  { by: 'proxy', names: ['via', 'forwarded', 'x-forwarded-*', 'x-real-ip', 'x-client-ip'] },
  { by: 'proxy', names: ['true-client-ip', 'x-cluster-client-ip', 'x-original-*', 'x-envoy-*'] },
  { by: 'proxy', names: ['x-request-start', 'x-queue-start', 'x-appengine-*', 'x-ngrok-*'] },
  { by: 'proxy', names: ['connection', 'keep-alive', 'x-varnish', 'x-timer', 'x-served-by'] },
  { by: 'clock', names: ['date'] },
  { by: 'service', names: ['*-message-id'] },
]

const patterns = requestHeaders.flatMap(({ by, names }) =>
  names.map((name) => ({ by, pattern: new RegExp(`^${name.replaceAll('*', '.*')}$`) })),
)

/** What gives each request its own value of a header; null if nothing does, so that a retry should repeat it. */
export function setPerRequest(name: string): string | null {
  const lower = name.toLowerCase()
  return patterns.find(({ pattern }) => pattern.test(lower))?.by ?? null
}
