/** JSON numbers as serializers print them after parsing. */
import { floatNumber, shortNumber } from './json-spelling.ts'

/** Formats a number like Java's `Double.toString`: `12.0`, and `1.7637E12` from ten million on. */
export function javaDouble(value: number): string {
  const size = Math.abs(value)
  const isPlain = size === 0 || (size >= 1e-3 && size < 1e7)
  const text = isPlain ? String(value) : value.toExponential().replace(/e\+?/, 'E')
  return text.includes('.') ? text : text.replace(/(?=E|$)/, '.0')
}

const isFraction = (raw: string) => /[.eE]/.test(raw)

/** Prints a fraction with 17 digits, as PHP did by default before 7.1. */
export const seventeenDigits = (raw: string): string =>
  isFraction(raw)
    ? Number(raw)
        .toPrecision(17)
        .replace(/\.?0+(?=e|$)/, '')
    : raw

type NumberForm = readonly [example: string, print: (raw: string) => string]

export const numberForms: readonly NumberForm[] = [
  ['10.00 as 10', shortNumber],
  ['10.00 as 10.0', floatNumber],
]

export const rareNumberForms: readonly NumberForm[] = [
  ['12 as 12.0', (raw) => (isFraction(raw) ? floatNumber(raw) : `${raw}.0`)],
  ['277.2 as 277.19999999999999, like PHP', seventeenDigits],
  ['12.5 as 12.50', (raw) => (isFraction(raw) ? Number(raw).toFixed(2) : raw)],
  ['12 as 12.0 and 12000000 as 1.2E7, like Java', (raw) => javaDouble(Number(raw))],
  ['12 as 12.00', (raw) => Number(raw).toFixed(2)],
  ['12.5 as "12.5"', (raw) => (isFraction(raw) ? `"${raw}"` : raw)],
]
