/** One line that tells an object of the sandbox from others of its kind. */
import type { SandboxObjectKind } from '../../shared/model/sandbox-object.ts'

export function titleOf(kind: SandboxObjectKind, data: Readonly<Record<string, unknown>>): string {
  const text = (name: string) => (typeof data[name] === 'string' || typeof data[name] === 'number' ? String(data[name]) : '')
  switch (kind) {
    case 'program':
    case 'brand':
    case 'offer':
      return text('name')
    case 'location':
      return `${text('address')}, ${text('city')}`
    case 'card':
      return `${text('scheme')} ${text('firstNumbers')}…${text('lastNumbers')}`
    case 'transaction':
      return `${text('amount')} ${text('currency')}${data['cleared'] === true ? ', cleared' : ''}`
  }
}
