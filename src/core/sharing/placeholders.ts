/**
 * Replaces values by an HMAC whose key is never stored: equal values stay equal, and length and
 * kind of each character stay. Each UUID and card number in a text is replaced by itself, so
 * that it stays equal to the same one elsewhere.
 */
import { quickHmac } from '../signature/quick-hmac.ts'
import { alikeCharacters } from './alike-characters.ts'

const UUID = String.raw`(?<![\da-zA-Z])[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12}(?![\da-zA-Z])`
const CARD_NUMBER = String.raw`(?<!\d)\d(?:[ -]?\d){11,18}(?!\d)`
const SCHEME = String.raw`\bhttps?:\/\/`
/** Parts of a text that are replaced separately, or kept. */
const PARTS = new RegExp(`(${SCHEME}|${UUID}|${CARD_NUMBER})`)
const IS_SCHEME = new RegExp(`^${SCHEME}$`)
const IS_UUID = new RegExp(`^${UUID}$`)
const IS_CARD_NUMBER = new RegExp(`^${CARD_NUMBER}$`)
const HEX = /^(?=.*\d)(?=.*[a-f])[\da-f-]{8,}$/i

/** Characters up to which different values might get the same placeholder by chance. */
const SHORT = 16
const MAX_TRIES = 64
/** Bytes for a character, so that each of its alternatives is about as likely. */
const BYTES = 2

export class Placeholders {
  readonly #key: Uint8Array
  readonly #ofShort = new Map<string, string>()
  readonly #taken = new Set<string>()

  constructor(key: Uint8Array) {
    this.#key = key
  }

  /** Returns the placeholder of a text, of the same length. */
  text(value: string): string {
    return value
      .split(PARTS)
      .map((part) => this.#part(part))
      .join('')
  }

  /** Returns the placeholder of a number as spelled: zeros, sign and exponent stay. */
  number(spelled: string, most = Number.POSITIVE_INFINITY): string {
    const [digits = '', exponent = ''] = spelled.split(/(?=e)/i)
    if (!/[1-9]/.test(digits)) return spelled
    const replaced = this.#unlike(`number ${digits}`, (stream) => {
      const changed = digits.replaceAll(/[1-9]/g, () => String(1 + (stream.next().value % 9)))
      return changed !== digits && Math.abs(Number(changed + exponent)) <= most ? changed : null
    })
    return (replaced ?? digits) + exponent
  }

  /** Returns bytes that depend on a text and the key. */
  hex(text: string, length: number): string {
    return Buffer.from(this.#digest(`hex ${text}`, 0), 'base64')
      .toString('hex')
      .slice(0, length)
  }

  #part(part: string): string {
    if (part === '' || IS_SCHEME.test(part)) return part
    if (IS_UUID.test(part)) return this.#uuid(part)
    const isCard = IS_CARD_NUMBER.test(part) && luhnSum(part) % 10 === 0
    if (part.length >= SHORT) return this.#replaced(part, isCard, () => true)
    const known = this.#ofShort.get(part)
    if (known !== undefined) return known
    const placeholder = this.#replaced(part, isCard, (made) => !this.#taken.has(made))
    this.#ofShort.set(part, placeholder)
    this.#taken.add(placeholder)
    return placeholder
  }

  /** Keeps version and variant, so that the ID stays one of its version. */
  #uuid(uuid: string): string {
    const hex = this.hex(uuid.toLowerCase(), 32)
    let next = 0
    return uuid.replaceAll(/[\da-f]/gi, (digit, at: number) => {
      const made = hex[next++] ?? '0'
      if (at === 14 || at === 19) return digit
      return /[A-F]/.test(uuid) ? made.toUpperCase() : made
    })
  }

  #replaced(value: string, isCard: boolean, isFree: (made: string) => boolean): string {
    const isHex = HEX.test(value)
    const characters = Array.from(value)
    const replaced = this.#unlike(value, (stream) => {
      const made = characters.map((character) => {
        const alike = alikeCharacters(character, isHex)
        return alike.length === 0 ? character : (alike[stream.next().value % alike.length] ?? '')
      })
      const text = isCard ? withLuhn(made.join('')) : made.join('')
      return text !== value && isFree(text) ? text : null
    })
    if (replaced !== null) return replaced
    // Nothing to replace, or all alternatives are taken.
    return characters.every((character) => alikeCharacters(character, isHex).length < 2)
      ? value
      : this.#replaced(value, isCard, () => true)
  }

  /** Makes a placeholder; null if no try succeeds. */
  #unlike(value: string, make: (stream: Generator<number, never>) => string | null): string | null {
    for (let round = 0; round < MAX_TRIES; round++) {
      const made = make(this.#numbers(`${round} ${value}`))
      if (made !== null) return made
    }
    return null
  }

  *#numbers(text: string): Generator<number, never> {
    for (let block = 0; ; block++) {
      const bytes = Buffer.from(this.#digest(text, block), 'base64')
      for (let at = 0; at < bytes.length; at += BYTES) yield bytes.readUInt16LE(at)
    }
  }

  #digest(text: string, block: number): string {
    return quickHmac('sha512', this.#key, [String(block), ' ', text])
  }
}

function luhnSum(text: string): number {
  const digits = text.replaceAll(/\D/g, '')
  return Array.from(digits.split('').toReversed(), Number).reduce((sum, digit, index) => {
    const doubled = index % 2 === 0 ? digit : digit * 2
    return sum + (doubled > 9 ? doubled - 9 : doubled)
  }, 0)
}

function withLuhn(text: string): string {
  const body = text.slice(0, -1)
  return `${body}${(10 - (luhnSum(`${body}0`) % 10)) % 10}`
}
