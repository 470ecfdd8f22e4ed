import { hash } from 'node:crypto'

/** Returns an ID as Countersign creates it, always the same for a name. */
export function ownId(name: string): string {
  const digits = hash('sha256', name, 'hex')
  const parts = [digits.slice(0, 8), digits.slice(8, 12), `7${digits.slice(12, 15)}`]
  return [...parts, `8${digits.slice(15, 18)}`, digits.slice(18, 30)].join('-')
}
