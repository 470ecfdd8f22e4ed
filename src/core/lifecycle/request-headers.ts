/** Headers that differ in each request, because a sender or proxy sets them. */

/** Returns why a header differs in each request, or undefined. */
export function perRequestCause(name: string): string | undefined {
  return requestPatterns.find(({ pattern }) => pattern.test(name))?.cause
}

/** Names of headers by why they differ; `*` stands for any characters. */
const namesByCause: Readonly<Record<string, string>> = {
  'request ID': '*request-id *correlation-id *trace-id *invocation-id',
  tracing: `traceparent tracestate baggage b3 x-b3-* uber-trace-id uberctx-* x-datadog-* newrelic sentry-trace x-ot-span-context
    x-cloud-trace-context elastic-apm-traceparent x-instana-*`,
  CDN: `cf-* cdn-loop fastly-* x-akamai-* akamai-* x-azure-* x-amz-cf-id cloudfront-* x-vercel-* x-nf-* fly-* x-edge-*`,
  // The next attempt may take another way.
  proxy: `via forwarded x-forwarded-* x-real-ip x-client-ip true-client-ip x-cluster-client-ip x-original-* x-envoy-*
    x-request-start x-queue-start x-appengine-* x-ngrok-* connection keep-alive x-varnish x-timer x-served-by`,
  clock: 'date',
  service: '*-message-id',
}

const requestPatterns = Object.entries(namesByCause).map(([cause, names]) => ({
  cause,
  pattern: new RegExp(`^(${names.replaceAll('*', '.*').split(/\s+/).join('|')})$`, 'i'),
}))
