/** Makes a stand-in strict: using a missing member throws, instead of returning `undefined`. */

/**
 * Wraps `target`: its members are bound to it, others throw. Symbols and `then` pass, for `await`.
 * @param refuse May throw for a member that Electron refuses at the moment.
 */
export function strict<T extends object>(
  name: string,
  target: T,
  refuse: (key: PropertyKey) => void = () => {},
): T {
  const bound = new Map<PropertyKey, unknown>()
  return new Proxy(target, {
    get(_target, key) {
      if (key in target) refuse(key)
      const value: unknown = Reflect.get(target, key, target)
      if (typeof key === 'symbol' || key === 'then' || key in target) {
        if (typeof value !== 'function' || key === 'constructor' || key === 'prototype')
          return value
        const kept = bound.get(key) ?? (value.bind(target) as unknown)
        bound.set(key, kept)
        return kept
      }
      throw new Error(
        `The stand-in for electron has no ${name}.${key}. Add it to test/standin, or do without.`,
      )
    },
    set(_target, key) {
      throw new Error(`The stand-in for electron cannot set ${name}.${String(key)}.`)
    },
  })
}
