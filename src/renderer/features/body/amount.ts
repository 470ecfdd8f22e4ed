/**
 * An amount as it was sent beside its currency. The interface gives amounts as numbers and currencies by their codes (section
 * 2.6), and does not say in which unit an amount counts: so both readings are offered where both are possible, and digits are
 * moved as text, never through a floating-point number.
 */
import { visibleText } from '../../ui/visible-text.ts'

export interface AmountMeaning {
  readonly text: string
  readonly title: string
  /** Something about it cannot be. */
  readonly odd: boolean
}

/** More of what stands in the place of a code of three letters is not repeated. */
const LONGEST_CODE = 12
const known = new Set(Intl.supportedValuesOf('currency'))
const numberParts = /^(-?)(\d+)(?:\.(\d+))?$/

/** Null where nothing can be said: no currency, or a number in scientific notation. */
export function amountMeaning(written: string, currency: string | null): AmountMeaning | null {
  const code = currency?.toUpperCase() ?? ''
  const parts = numberParts.exec(written)
  if (parts === null || currency === null) return null
  if (!known.has(code)) {
    const name = visibleText(currency.length > LONGEST_CODE ? `${currency.slice(0, LONGEST_CODE)}…` : currency)
    return {
      text: `${name} is no currency known here`,
      title: `“${name}” is none of the currency codes that are known here, so it cannot be said how many minor units it has.`,
      odd: true,
    }
  }
  const [, sign = '', whole = '', fraction = ''] = parts
  const places = new Intl.NumberFormat('en', { style: 'currency', currency: code }).resolvedOptions().maximumFractionDigits ?? 2
  const said = `The interface gives a number and the currency’s code, and does not say in which unit (section 2.6).`
  if (places === 0)
    return /[1-9]/.test(fraction)
      ? { text: `${code} has no minor unit`, title: `${written} has decimals, and ${code} has none.`, odd: true }
      : { text: `${code} ${sign}${grouped(whole)}`, title: `${code} has no minor unit.`, odd: false }
  if (/[1-9]/.test(fraction.slice(places)))
    return {
      text: `more decimals than ${code} has`,
      title: `${written} has ${fraction.length} decimals; ${code} has ${places}.`,
      odd: true,
    }
  const major = `${code} ${sign}${grouped(whole)}.${fraction.slice(0, places).padEnd(places, '0')}`
  const minor = grouped((whole + fraction.slice(0, places).padEnd(places, '0')).replace(/^0+(?=\d)/, ''))
  const counted = `${sign}${minor} minor units`
  if (fraction !== '')
    return { text: `${major} · ${counted}`, title: `Read as ${code}: ${major} is ${counted}. ${said}`, odd: false }
  const digits = whole.padStart(places + 1, '0')
  const asMinor = `${code} ${sign}${grouped(digits.slice(0, -places))}.${digits.slice(-places)}`
  return {
    text: `${major} · ${asMinor} if in minor units`,
    title: `Read as whole ${code} it is ${major}; read as minor units it is ${asMinor}. ${said}`,
    odd: false,
  }
}

function grouped(digits: string): string {
  return digits.replace(/\B(?=(\d{3})+$)/g, ',')
}
