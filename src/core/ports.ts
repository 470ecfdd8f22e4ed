/** Ports of a data folder: a free one that was picked once is tried again, so that registered URLs stay right. */
import type { Store } from './store/store.ts'
import type { Core } from './core.ts'

function settingOf(name: string): string {
  return `port.${name}`
}

export function createPorts(store: Pick<Store, 'read' | 'write'>): Core['ports'] {
  return {
    async choose(name, requested, fallback) {
      if (requested === undefined) return fallback
      if (requested !== 0) return requested
      return Number((await store.read('setting', settingOf(name))) ?? 0)
    },
    async remember(name, port) {
      await store.write('writeSetting', { name: settingOf(name), value: String(port) })
    },
  }
}
