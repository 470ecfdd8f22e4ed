/** Exact comparison of JSON numbers in any notation and size. */

const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

const LONGEST_WHOLE = 20
/** Characters of a power of ten that is exact as a number. */
const LONGEST_COUNTED = 15
const shortWhole = /^(?:0|-?[1-9]\d{0,19})$/

/** Returns the canonical notation: an integer, else digits and a power of ten. */
export function canonicalNumber(token: string): string {
  if (shortWhole.test(token)) return token
  const match = numberPattern.exec(token)
  if (match === null) return token
  const [, sign = '', whole = '', fraction = '', power = '0'] = match
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/(?<!0)0+$/, '')
  if (significant === '') return '0'
  const shift = digits.length - significant.length - fraction.length
  const exponent =
    power.length > LONGEST_COUNTED ? BigInt(power) + BigInt(shift) : Number(power) + shift
  const isShort = exponent >= 0 && exponent <= LONGEST_WHOLE - significant.length
  return isShort
    ? `${sign}${significant}${'0'.repeat(Number(exponent))}`
    : `${sign}${significant}e${exponent}`
}

export function isSameNumber(left: string, right: string): boolean {
  return left === right || canonicalNumber(left) === canonicalNumber(right)
}
