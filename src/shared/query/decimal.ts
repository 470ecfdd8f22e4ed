/** Exact comparison of decimals as text: ids of twenty digits exceed a double. */

/** `-12.50e3` */
const DECIMAL = /^([-+]?)(\d+)(?:\.(\d+))?(?:[eE]([-+]?\d+))?$/

export function isDecimal(text: string): boolean {
  return DECIMAL.test(text)
}

/** Text without an exponent that a double may hold exactly: `-12.50`. */
const SHORT_DECIMAL = /^[-+.\d]{1,15}$/

interface DecimalParts {
  readonly sign: number
  /** Digits without outer zeros, of 0.DIGITS × 10^exponent. */
  readonly digits: string
  readonly exponent: number
}

function partsOf(text: string): DecimalParts {
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

/** Compares as `first - second` would. */
export function compareDecimals(first: string, second: string): number {
  // A double is exact up to fifteen digits, and faster.
  if (SHORT_DECIMAL.test(first) && SHORT_DECIMAL.test(second)) return Number(first) - Number(second)
  const a = partsOf(first)
  const b = partsOf(second)
  if (a.sign !== b.sign) return a.sign - b.sign
  const byExponent = a.exponent === b.exponent ? 0 : a.exponent < b.exponent ? -1 : 1
  const bySize =
    byExponent !== 0 ? byExponent : a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : 0
  return a.sign < 0 ? 0 - bySize : bySize
}
