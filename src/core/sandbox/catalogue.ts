/** The brands and cards that the sandbox makes its objects from: invented brands, and the card numbers that schemes publish for tests. */
import type { Scheme } from '../../shared/service/scheme.ts'

export interface CatalogueBrand {
  readonly name: string
  readonly slug: string
  /** What people usually spend there, in units of a currency of the size of the euro. */
  readonly least: number
  readonly most: number
}

export const brands: readonly CatalogueBrand[] = [
  { name: 'Harbour Coffee', slug: 'harbour-coffee', least: 2.8, most: 18 },
  { name: 'Fern & Field', slug: 'fern-and-field', least: 12, most: 95 },
  { name: 'Old Mill Bakery', slug: 'old-mill-bakery', least: 3, most: 32 },
  { name: 'Nordlys Books', slug: 'nordlys-books', least: 7, most: 80 },
  { name: 'Brightwater Grocers', slug: 'brightwater-grocers', least: 8, most: 160 },
  { name: 'Casa Lima', slug: 'casa-lima', least: 15, most: 120 },
  { name: 'Atelier Quatre', slug: 'atelier-quatre', least: 30, most: 320 },
  { name: 'Pedal & Spoke', slug: 'pedal-and-spoke', least: 10, most: 240 },
]

export interface TestCard {
  readonly scheme: Scheme
  readonly firstNumbers: string
  readonly lastNumbers: string
}

export const testCards: readonly TestCard[] = [
  { scheme: 'visa', firstNumbers: '411111', lastNumbers: '1111' },
  { scheme: 'mastercard', firstNumbers: '555555', lastNumbers: '4444' },
  { scheme: 'visa', firstNumbers: '401288', lastNumbers: '1881' },
  { scheme: 'mastercard', firstNumbers: '510510', lastNumbers: '5100' },
  { scheme: 'visa', firstNumbers: '424242', lastNumbers: '4242' },
  { scheme: 'mastercard', firstNumbers: '222300', lastNumbers: '3222' },
]

/** How much a unit of the euro's size is in the currency, roughly: enough for prices to look right. */
const scales: Readonly<Record<string, number>> = { SEK: 11, JPY: 160, CAD: 1.5, AUD: 1.6 }

export function priceScale(currency: string): number {
  return scales[currency] ?? 1
}
