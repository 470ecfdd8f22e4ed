/**
 * The one Content-Security-Policy of the app. Both hosts send it as a header with every answer, so that captured payloads
 * cannot run (promise 4) whichever way the app is opened. `connect-src 'self'` covers the WebSocket of the loopback host.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "font-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "worker-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
