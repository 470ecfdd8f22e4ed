import { expect, test } from 'vitest'
import { isCredentialHeader } from './credential-headers.ts'

test('credentials are hidden', () => {
  const names =
    'Authorization Proxy-Authorization Authentication X-Forwarded-Authorization Cookie Set-Cookie X-Api-Key Api-Key apikey service-key X-Auth X-Auth-Token X-Access-Token Private-Token Ocp-Apim-Subscription-Key X-Functions-Key X-Client-Secret X-Password X-CSRF-Token X-Amz-Security-Token Cf-Access-Jwt-Assertion'
  expect(names.split(' ').filter((name) => !isCredentialHeader(name, 'v'))).toEqual([])
  const values = ['Bearer abc', 'basic YTpi', 'eyJhbGciOiJ9.eyJzdWIiOiIxIn0.c2ln']
  expect(values.filter((value) => !isCredentialHeader('X-Goog', value))).toEqual([])
})

test('tracing, CDN, ID, content and signature headers are shown', () => {
  const names =
    'Accept Age Baggage B3 CDN-Loop CF-Connecting-IP CF-IPCountry CF-Ray CF-Visitor CloudFront-Viewer-Country Content-Digest Content-Disposition Content-Encoding Content-Language Content-Location Content-MD5 Content-Type Correlation-Id Digest DNT Early-Data Fastly-Client-IP Fly-Request-Id Forwarded Host Idempotency-Key If-Match Keep-Alive Link Origin-Agent-Cluster Prefer Priority Proxy-Connection Referer Save-Data Sec-CH-UA Sec-Fetch-Mode Sec-GPC Sec-WebSocket-Key service-attempt-number service-message-id Service-Request-Id Signature Signature-Input Surrogate-Key traceparent tracestate True-Client-IP Upgrade-Insecure-Requests User-Agent Via WWW-Authenticate X-Amz-Cf-Id X-Amzn-Trace-Id X-Api-Version X-Author X-Azure-Ref X-B3-TraceId X-Cache-Key X-Client-IP X-Cloud-Trace-Context X-Correlation-Id X-Datadog-Trace-Id X-Envoy-External-Address X-Event-Key-Id X-Forwarded-For X-Forwarded-Host X-Forwarded-Proto X-Forwarded-Client-Cert X-GitHub-Delivery X-HTTP-Method-Override X-Hub-Signature-256 X-Original-URL X-Real-IP X-Request-Id X-Request-Start X-Requested-With X-Scheme x-service-signature x-service-timestamp X-Vercel-Id'
  expect(names.split(' ').filter((name) => isCredentialHeader(name, 'v'))).toEqual([])
})
