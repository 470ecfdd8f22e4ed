/** Amounts as people write them, with the digits that the currency has: `12.50 EUR`, `1,640 JPY`. */

export function amountText(amount: unknown, currency: unknown): string {
  if (typeof amount !== 'number') return String(amount)
  const digits = minorDigits(currency)
  const text =
    digits === null ? String(amount) : amount.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: 6 })
  return `${text.replace('-', '−')} ${String(currency)}`
}

/** Digits after the point; null for what is no currency code. */
function minorDigits(currency: unknown): number | null {
  if (typeof currency !== 'string') return null
  try {
    return new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? null
  } catch {
    // A code that was set to something else on purpose.
    return null
  }
}
