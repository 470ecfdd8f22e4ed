/** JSON as a tree that keeps the order of keys, duplicate keys, and each number and string as written: what a diagnosis spells in other ways. */
import { OBJECT, scanJson } from '../../../shared/json/scan.ts'

export type RawJson =
  | { readonly kind: 'object'; readonly members: readonly (readonly [key: string, value: RawJson])[] }
  | { readonly kind: 'array'; readonly items: readonly RawJson[] }
  /** A number, string or word, verbatim; strings and keys with their quotation marks. */
  | { readonly kind: 'number' | 'string' | 'word'; readonly raw: string }

/** Deeper than this no serializer is imitated: that would overflow the stack. */
const DEEPEST = 200

type Holder =
  | { readonly kind: 'object'; readonly members: (readonly [string, RawJson])[] }
  | { readonly kind: 'array'; readonly items: RawJson[] }

/** Reads a JSON text; null if it is not JSON, or nested too deep. */
export function readRawJson(text: string): RawJson | null {
  const stack: Holder[] = []
  let key = ''
  let root: RawJson | null = null
  const place = (node: RawJson) => {
    const holder = stack.at(-1)
    if (holder === undefined) root = node
    else if (holder.kind === 'array') holder.items.push(node)
    else holder.members.push([key, node])
  }
  const { outcome } = scanJson(
    text,
    {
      key(start, end) {
        key = text.slice(start, end)
      },
      scalar(start, end, isString) {
        const raw = text.slice(start, end)
        place({ kind: isString ? 'string' : /^[-\d]/.test(raw) ? 'number' : 'word', raw })
      },
      open(_at, container) {
        const holder: Holder = container === OBJECT ? { kind: 'object', members: [] } : { kind: 'array', items: [] }
        place(holder)
        stack.push(holder)
      },
      close: () => stack.pop(),
    },
    { maxDepth: DEEPEST },
  )
  return outcome === 'json' ? root : null
}
