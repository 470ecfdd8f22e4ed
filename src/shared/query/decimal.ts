/**
 * Decimal numbers as text, compared exactly: ids of twenty digits may differ only in the last one, which a double can't represent.
 */

const DECIMAL = /^([-+]?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/

/** Whether a text is a JSON number, with a plus sign and leading zeros allowed. */
export function isDecimal(text: string): boolean {
  return DECIMAL.test(text)
}

const PLAIN = /^[-+.\d]{1,15}$/

interface Parts {
  /** -1, 0 or 1. */
  readonly sign: number
  /** Without zeros at either end: the number is 0.DIGITS × 10^exponent. */
  readonly digits: string
  readonly exponent: number
}

function partsOf(text: string): Parts {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  const all = whole + fraction
  const digits = all.replace(/^0+/, '')
  const zeros = all.length - digits.length
  const kept = digits.replace(/(?<!0)0+$/, '')
  if (kept === '') return { sign: 0, digits: '', exponent: 0 }
  return {
    sign: sign === '-' ? -1 : 1,
    digits: kept,
    exponent: whole.length - zeros + Number(exponent),
  }
}

/** Negative, zero or positive: the first is less than, equal to or greater than the second. Both must be decimals. */
export function compareDecimals(first: string, second: string): number {
  // Up to fifteen digits a double is exact, which is nearly always enough and much faster.
  if (PLAIN.test(first) && PLAIN.test(second)) return Number(first) - Number(second)
  const a = partsOf(first)
  const b = partsOf(second)
  if (a.sign !== b.sign) return a.sign - b.sign
  const byExponent = a.exponent === b.exponent ? 0 : a.exponent < b.exponent ? -1 : 1
  const bySize =
    byExponent !== 0 ? byExponent : a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0
  return a.sign < 0 ? 0 - bySize : bySize
}
