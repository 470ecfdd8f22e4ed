/** Amounts of money, with as many decimal digits as their currency has. */

/** Formats `12.50 EUR`, `1,640 JPY`. */
export function amountText(amount: unknown, currency: unknown): string {
  return typeof amount === 'number'
    ? `${amountDigits(amount, currency)} ${String(currency)}`
    : String(amount)
}

export function amountDigits(amount: number, currency: unknown): string {
  const digits = minorDigits(currency)
  const text =
    digits === null
      ? String(amount)
      : amount.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: 6 })
  return text.replace('-', '−')
}

/** Cache, because finding the digits takes longer than drawing a row. */
const digitsByCurrency = new Map<string, number | null>()
const MOST_CACHED = 1_000

/** Returns a currency's decimal digits; null if invalid. */
export function minorDigits(currency: unknown): number | null {
  if (typeof currency !== 'string') return null
  const cached = digitsByCurrency.get(currency)
  if (cached !== undefined) return cached
  const digits = readDigits(currency)
  if (digitsByCurrency.size < MOST_CACHED) digitsByCurrency.set(currency, digits)
  return digits
}

function readDigits(currency: string): number | null {
  try {
    return (
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
        .maximumFractionDigits ?? null
    )
  } catch {
    // A payload may have any code.
    return null
  }
}

/** Separates thousands: `1,838`. */
export function groupThousands(digits: string): string {
  const first = digits.length % 3 || 3
  return [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].join(',')
}

/** Formats an amount from its digits as sent: `36.90`, `1,838`. */
export function formatSentAmount(amount: string, currency: unknown): string {
  const digits = minorDigits(currency)
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (sign === undefined || digits === null) return amount
  const padded = fraction.padEnd(digits, '0')
  return `${sign === '' ? '' : '−'}${groupThousands(whole)}${padded === '' ? '' : `.${padded}`}`
}
