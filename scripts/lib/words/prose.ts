/** Decides which strings are prose, not SQL, styles or identifiers. */

const SQL =
  /\b(?:select|insert|update|delete|create|drop|alter|pragma|attach|with|begin|commit|rollback|union|values)\b[\s\S]*\b(?:from|into|set|table|index|trigger|where|select|transaction|savepoint|values)\b/
const SQL_CASE =
  /\b(?:CASE WHEN|IS NULL|IS NOT NULL|LEFT JOIN|IN \(|NOT IN|CAST\(|SELECT 1|IN INDEXED)|^\s*(?:SELECT|INSERT|UPDATE|DELETE|CREATE|DROP|ALTER|PRAGMA|WITH|BEGIN|AND|OR|WHERE|ORDER|FROM|ON|VALUES|JOIN|LEFT JOIN)\b/
const COMMON =
  /\b(?:the|a|an|of|to|is|are|was|in|on|at|and|or|not|no|for|with|your|this|that|it|its|by|from|as|all|each|one|if|be|has|have|only|more|than|was|were|can|will|did|does|cannot|could|must|what|when|where|which|who|how)\b/i
const STYLE_TOKEN =
  /^-?[a-z0-9]+(?:[-:/.[\]()%#_,!&>*=][a-z0-9\-:/.[\]()%#_,!&>*='"]*)+$|^(?:flex|grid|block|hidden|relative|absolute|sticky|fixed|truncate|border|underline|italic|rounded|outline|shadow|uppercase|peer|group|contents|inline|table|static|resize|transition|isolate|container|antialiased|grow|shrink)$/

export function isProse(text: string, readByPeople: boolean): boolean {
  const plain = text.replaceAll(/\{[^{}]*\}/g, ' ').trim()
  if (!/[A-Za-z]{2}/.test(plain)) return false
  if (SQL_CASE.test(plain) || (SQL.test(plain) && !/[.?!]$/.test(plain))) return false
  if (readByPeople) return true
  const tokens = plain.split(/\s+/)
  if (tokens.length === 1) return /^[A-Z][a-z]{2,}[.…:!?]?$/.test(plain)
  if (tokens.some((token) => STYLE_TOKEN.test(token)) && !COMMON.test(plain)) return false
  if (tokens.filter((token) => STYLE_TOKEN.test(token)).length > tokens.length / 2) return false
  return (
    COMMON.test(plain) ||
    tokens.filter((token) => /^[A-Za-z][a-z']+[.,:;?!…]?$/.test(token)).length >= 2
  )
}
