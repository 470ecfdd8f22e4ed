/** A JSON number's value apart from the way in which it is written: `10`, `10.00` and `1e1` are the same, exactly and at any size. */

const numberPattern = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** Whole numbers up to this many digits are written out. */
const LONGEST_WHOLE = 20
/** Powers of ten of up to this many signs are exact as a number. */
const LONGEST_COUNTED = 15
const shortWhole = /^(?:0|-?[1-9]\d{0,19})$/

/** The one way of writing the value of a JSON number: a whole one as such, else its digits and a power of ten. */
export function canonicalNumber(token: string): string {
  if (shortWhole.test(token)) return token
  const found = numberPattern.exec(token)
  if (found === null) return token
  const [, sign = '', whole = '', fraction = '', power = '0'] = found
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  // Zero has no sign as a value.
  if (significant === '') return '0'
  const shift = digits.length - significant.length - fraction.length
  // Arithmetic with BigInt is slow, and hardly any number asks for it.
  const exponent = power.length > LONGEST_COUNTED ? BigInt(power) + BigInt(shift) : Number(power) + shift
  const isShort = exponent >= 0 && exponent <= LONGEST_WHOLE - significant.length
  return isShort ? `${sign}${significant}${'0'.repeat(Number(exponent))}` : `${sign}${significant}e${exponent}`
}

/** Whether two JSON numbers have the same value. */
export function sameNumber(left: string, right: string): boolean {
  return left === right || canonicalNumber(left) === canonicalNumber(right)
}
