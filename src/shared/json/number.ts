/**
 * The value of a JSON number in any notation: `10`, `10.00` and `1e1` are equal, exactly and at any
 * size.
 */

const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Integers up to this many digits are written out. */
const LONGEST_WHOLE = 20
/** Powers of ten with up to this many characters are exact as a number. */
const LONGEST_COUNTED = 15
const shortWhole = /^(?:0|-?[1-9]\d{0,19})$/

/**
 * The canonical notation of a JSON number's value: integers in plain digits, else digits and a
 * power of ten.
 */
export function canonicalNumber(token: string): string {
  if (shortWhole.test(token)) return token
  const found = numberPattern.exec(token)
  if (found === null) return token
  const [, sign = '', whole = '', fraction = '', power = '0'] = found
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/(?<!0)0+$/, '')
  // Zero has no sign.
  if (significant === '') return '0'
  const shift = digits.length - significant.length - fraction.length
  // BigInt arithmetic is slow, and few numbers need it.
  const exponent =
    power.length > LONGEST_COUNTED ? BigInt(power) + BigInt(shift) : Number(power) + shift
  const isShort = exponent >= 0 && exponent <= LONGEST_WHOLE - significant.length
  return isShort
    ? `${sign}${significant}${'0'.repeat(Number(exponent))}`
    : `${sign}${significant}e${exponent}`
}

/** Whether two JSON numbers are equal. */
export function sameNumber(left: string, right: string): boolean {
  return left === right || canonicalNumber(left) === canonicalNumber(right)
}
