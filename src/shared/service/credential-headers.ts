/** Which headers carry a credential. All others, such as tracing, CDN, ID and content headers, say nothing that must stay hidden. */

const named =
  /auth(?:$|ori[sz]ation|entication)|cookie|api[-_]?key|key$|token|secret|passw|pwd|passphrase|credential|jwt/
/** Names that end like a key but identify a request, a cache entry or a queue. */
const publicKeys = /(?:idempotency|cache|surrogate|partition|routing|message|websocket)[-_]key$/
/** A credential under any name: HTTP authentication, or a JSON Web Token. */
const valued = /^(?:basic|bearer) |^eyJ[\w-]+\.eyJ/i

/** Whether a header's value must stay hidden: `Authorization`, `Cookie`, `Set-Cookie`, `X-Api-Key` and names like them. */
export function isCredentialHeader(name: string, value: string): boolean {
  const lower = name.toLowerCase()
  return (named.test(lower) && !publicKeys.test(lower)) || valued.test(value)
}
