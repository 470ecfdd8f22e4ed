/** Headers that carry a credential; all others may be shown. */

const credentialNames =
  /auth(?:$|ori[sz]ation|entication)|cookie|api[-_]?key|key$|token|secret|passw|pwd|passphrase|credential|jwt/
/** Names of keys that aren't credentials. */
const publicKeys = /(?:idempotency|cache|surrogate|partition|routing|message|websocket)[-_]key$/
/** Values that are credentials under any name. */
const credentialValues = /^(?:basic|bearer) |^eyJ[\w-]+\.eyJ/i

/** Whether a header's value must stay hidden. */
export function isCredentialHeader(name: string, value: string): boolean {
  const lower = name.toLowerCase()
  return (credentialNames.test(lower) && !publicKeys.test(lower)) || credentialValues.test(value)
}
