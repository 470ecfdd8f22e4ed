/** Formats an amount with its currency's digits: `12.50 EUR`, `1,640 JPY`. */
export function amountText(amount: unknown, currency: unknown): string {
  return typeof amount === 'number'
    ? `${amountDigits(amount, currency)} ${String(currency)}`
    : String(amount)
}

/** An amount with its currency's digits, without the currency: `12.50`. */
export function amountDigits(amount: number, currency: unknown): string {
  const digits = minorDigits(currency)
  const text =
    digits === null
      ? String(amount)
      : amount.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: 6 })
  return text.replace('-', '−')
}

/** By currency: finding them takes longer than drawing a row. */
const digitsOf = new Map<string, number | null>()

/** A currency's digits after the decimal point; null for an invalid code. */
export function minorDigits(currency: unknown): number | null {
  if (typeof currency !== 'string') return null
  const known = digitsOf.get(currency)
  if (known !== undefined) return known
  const digits = readDigits(currency)
  // Payloads decide which codes there are.
  if (digitsOf.size < 1_000) digitsOf.set(currency, digits)
  return digits
}

function readDigits(currency: string): number | null {
  try {
    return (
      new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions()
        .maximumFractionDigits ?? null
    )
  } catch {
    // The currency was set to an invalid code on purpose.
    return null
  }
}

/** Separates thousands: `1838` is `1,838`. */
export function grouped(digits: string): string {
  const first = digits.length % 3 || 3
  return [digits.slice(0, first), ...(digits.slice(first).match(/\d{3}/g) ?? [])].join(',')
}

/** The same for an amount as the sender wrote it, digit by digit: `36.90`, `1,838`. Other notations stay as sent. */
export function writtenAmount(amount: string, currency: unknown): string {
  const digits = minorDigits(currency)
  const [, sign, whole = '', fraction = ''] = /^(-?)(\d+)(?:\.(\d+))?$/.exec(amount) ?? []
  if (sign === undefined || digits === null) return amount
  const padded = fraction.padEnd(digits, '0')
  return `${sign === '' ? '' : '−'}${grouped(whole)}${padded === '' ? '' : `.${padded}`}`
}
