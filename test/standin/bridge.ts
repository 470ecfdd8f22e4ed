/**
 * The two halves of `contextBridge` inside Chromium, which communicate by synchronous events under
 * a secret name. Both are sent as source text, so they use nothing outside themselves.
 */

interface Wire {
  pack(value: unknown): unknown
  unpack(value: unknown): unknown
}

/**
 * Makes one half.
 * @param side The side whose calls it responds to.
 */
export function makeWire(channel: string, side: 'page' | 'preload'): Wire {
  const other = side === 'page' ? 'preload' : 'page'
  const functions = new Map<number, (...values: unknown[]) => unknown>()
  const numbers = new Map<unknown, number>()
  let answer: { value?: unknown; error?: string } = {}

  const isPlain = (value: object) => {
    const prototype: unknown = Object.getPrototypeOf(value)
    return prototype === null || prototype === Object.prototype
  }

  const pack = (value: unknown): unknown => {
    if (typeof value === 'function') {
      const number = numbers.get(value) ?? numbers.size + 1
      numbers.set(value, number)
      functions.set(number, value as (...values: unknown[]) => unknown)
      return { function: number }
    }
    if (Array.isArray(value)) return { array: value.map(pack) }
    if (typeof value === 'object' && value !== null) {
      if (!isPlain(value))
        throw new TypeError('The stand-in carries plain JSON values and functions only.')
      return { object: Object.entries(value).map(([key, member]) => [key, pack(member)]) }
    }
    if (value !== null && !['string', 'boolean', 'number', 'undefined'].includes(typeof value))
      throw new TypeError(`The stand-in cannot carry a ${typeof value}.`)
    return { value }
  }

  const unpack = (packed: unknown): unknown => {
    const given = packed as {
      function?: number
      array?: unknown[]
      object?: [string, unknown][]
      value?: unknown
    }
    if (given.function !== undefined) {
      const called = given.function
      return (...values: unknown[]) => {
        answer = {}
        const detail = JSON.stringify({ called, values: values.map(pack) })
        document.dispatchEvent(new CustomEvent(`${channel}:call:${other}`, { detail }))
        const { value, error } = answer
        if (error !== undefined) throw new Error(error)
        return value === undefined ? undefined : unpack(value)
      }
    }
    if (given.array !== undefined) return Object.freeze(given.array.map(unpack))
    if (given.object !== undefined)
      return Object.freeze(
        Object.fromEntries(given.object.map(([key, member]) => [key, unpack(member)])),
      )
    return given.value
  }

  document.addEventListener(`${channel}:call:${side}`, (event) => {
    const { called, values } = JSON.parse((event as CustomEvent<string>).detail) as {
      called: number
      values: unknown[]
    }
    let result: { value?: unknown; error?: string }
    try {
      result = { value: pack(functions.get(called)?.(...values.map(unpack))) }
    } catch (error) {
      result = { error: error instanceof Error ? error.message : String(error) }
    }
    document.dispatchEvent(
      new CustomEvent(`${channel}:answer:${other}`, { detail: JSON.stringify(result) }),
    )
  })
  document.addEventListener(`${channel}:answer:${side}`, (event) => {
    answer = JSON.parse((event as CustomEvent<string>).detail) as typeof answer
  })
  return { pack, unpack }
}

/** Exposes the preload's members on the window, frozen, before the preload runs. */
export function installPageSide(channel: string, wireOf: typeof makeWire): void {
  // The debugging protocol reports no permission requests, so the calls that cause one ask the app
  // first.
  let asked = 0
  const tell = (detail: object) =>
    document.dispatchEvent(
      new CustomEvent(`${channel}:permission`, { detail: JSON.stringify(detail) }),
    )
  const asking = (
    owner: object | undefined,
    name: string,
    permission: string,
    mediaTypesOf: (input: unknown) => string[] = () => [],
  ) => {
    const original =
      owner === undefined
        ? undefined
        : (Reflect.get(owner, name) as ((...input: unknown[]) => unknown) | undefined)
    if (owner === undefined || original === undefined) return
    async function request(this: unknown, ...input: unknown[]) {
      const id = ++asked
      const answered = new Promise((resolve) => {
        document.addEventListener(`${channel}:permission:${id}`, resolve, { once: true })
      })
      tell({ id, permission, mediaTypes: mediaTypesOf(input[0]) })
      await answered
      const wait = (index: number) =>
        new Promise((resolve) => {
          const callback = input[index]
          input[index] = (...values: unknown[]) => {
            resolve(undefined)
            if (typeof callback === 'function') callback(...values)
          }
        })
      try {
        // A position comes through callbacks, until which the decision must hold.
        const position = permission === 'geolocation' ? Promise.race([wait(0), wait(1)]) : undefined
        const result = await Reflect.apply(original!, this, input)
        await position
        return result
      } finally {
        tell({ id, permission, ended: true })
      }
    }
    Object.defineProperty(owner, name, { value: request, configurable: true, writable: true })
  }
  const world = globalThis as Record<string, unknown>
  const prototypeOf = (name: string) =>
    (world[name] as { prototype: object } | undefined)?.prototype
  asking(prototypeOf('Geolocation'), 'getCurrentPosition', 'geolocation')
  asking(prototypeOf('Clipboard'), 'readText', 'clipboard-read')
  asking(prototypeOf('Clipboard'), 'read', 'clipboard-read')
  asking(prototypeOf('Clipboard'), 'writeText', 'clipboard-sanitized-write')
  asking(prototypeOf('Clipboard'), 'write', 'clipboard-sanitized-write')
  asking(prototypeOf('MediaDevices'), 'getUserMedia', 'media', (constraints) =>
    ['video', 'audio'].filter((type) =>
      Boolean((constraints as Record<string, unknown> | undefined)?.[type]),
    ),
  )
  asking(prototypeOf('MediaDevices'), 'getDisplayMedia', 'display-capture')
  asking(world['Notification'] as object | undefined, 'requestPermission', 'notifications')

  if (window.top !== window) return
  const wire = wireOf(channel, 'page')
  document.addEventListener(`${channel}:expose`, (event) => {
    const { key, api } = JSON.parse((event as CustomEvent<string>).detail) as {
      key: string
      api: unknown
    }
    Object.defineProperty(window, key, {
      value: wire.unpack(api),
      enumerable: true,
      writable: false,
      configurable: false,
    })
  })

  // The stand-in creates no windows, because a rejected one would already have started to load; as
  // in Electron, the page gets null.
  const ask = (url: string | URL) => {
    const detail = new URL(url, document.baseURI).href
    document.dispatchEvent(new CustomEvent(`${channel}:open`, { detail }))
  }
  const open = window.open.bind(window)
  window.open = (url = 'about:blank', target = '_blank', features = '') => {
    if (['_self', '_parent', '_top'].includes(target)) return open(url, target, features)
    ask(url)
    return null
  }
  const onClick = (event: MouseEvent) => {
    const link = event.composedPath().find((element) => element instanceof HTMLAnchorElement)
    if (link === undefined || event.defaultPrevented || link.href === '') return
    const elsewhere = link.target !== '' && !['_self', '_parent', '_top'].includes(link.target)
    if (!elsewhere && !event.ctrlKey && !event.metaKey && !event.shiftKey && event.button !== 1)
      return
    event.preventDefault()
    ask(link.href)
  }
  addEventListener('click', onClick)
  addEventListener('auxclick', onClick)
}

export type FromPreload =
  | { readonly kind: 'ipc'; readonly channel: string; readonly values: readonly unknown[] }
  | { readonly kind: 'input'; readonly type: 'mouseDown' | 'rawKeyDown' }
  | { readonly kind: 'open'; readonly url: string }
  | {
      readonly kind: 'permission'
      readonly id: number
      readonly permission: string
      readonly mediaTypes?: readonly ('video' | 'audio')[]
      readonly ended?: true
    }
  | { readonly kind: 'failed'; readonly message: string }

/** Runs the preload in its own world, with the `require` of a sandboxed preload. */
export function installPreloadSide(
  channel: string,
  wireOf: typeof makeWire,
  binding: string,
  platform: string,
  preload: (
    require: (name: string) => unknown,
    process: unknown,
    exports: object,
    module: object,
  ) => void,
): void {
  const world = globalThis as typeof globalThis & Record<string, unknown>
  const post = world[binding] as (text: string) => void
  delete world[binding]
  const send = (message: FromPreload) => {
    post(JSON.stringify(message))
  }
  document.addEventListener(`${channel}:permission`, (event) => {
    send({
      kind: 'permission',
      ...(JSON.parse((event as CustomEvent<string>).detail) as { id: number; permission: string }),
    })
  })
  const permitted = (id: unknown) => {
    document.dispatchEvent(new CustomEvent(`${channel}:permission:${String(id)}`))
  }
  world[binding] = (_name: string, [id]: unknown[]) => {
    permitted(id)
  }
  if (window.top !== window) return
  const wire = wireOf(channel, 'preload')
  const listeners = new Map<string, Set<(event: object, ...values: unknown[]) => void>>()
  world[binding] = (name: string, values: unknown[]) => {
    if (name === channel) permitted(values[0])
    for (const listener of listeners.get(name) ?? []) listener({}, ...values)
  }
  const ipcRenderer = {
    send(name: string, ...values: unknown[]) {
      send({ kind: 'ipc', channel: name, values })
    },
    on(name: string, listener: (event: object, ...values: unknown[]) => void) {
      const set = listeners.get(name) ?? new Set()
      listeners.set(name, set.add(listener))
    },
    off(name: string, listener: (event: object, ...values: unknown[]) => void) {
      listeners.get(name)?.delete(listener)
    },
  }
  const contextBridge = {
    exposeInMainWorld(key: string, api: unknown) {
      document.dispatchEvent(
        new CustomEvent(`${channel}:expose`, {
          detail: JSON.stringify({ key, api: wire.pack(api) }),
        }),
      )
    },
  }
  const guard = <T extends object>(name: string, members: T) =>
    new Proxy(members, {
      get(target, key) {
        if (key in target) return Reflect.get(target, key) as unknown
        throw new Error(`The stand-in for electron has no ${name}.${String(key)} in the preload.`)
      },
    })
  const electron = guard('electron', {
    ipcRenderer: guard('ipcRenderer', ipcRenderer),
    contextBridge: guard('contextBridge', contextBridge),
  })
  document.addEventListener(`${channel}:open`, (event) => {
    send({ kind: 'open', url: (event as CustomEvent<string>).detail })
  })
  addEventListener(
    'pointerdown',
    (event) => event.isTrusted && send({ kind: 'input', type: 'mouseDown' }),
    true,
  )
  addEventListener(
    'keydown',
    (event) => event.isTrusted && send({ kind: 'input', type: 'rawKeyDown' }),
    true,
  )
  const module = { exports: {} }
  try {
    preload(
      (name) => {
        if (name === 'electron') return electron
        throw new Error(`module not found: ${name} (a sandboxed preload may require electron only)`)
      },
      guard('process', { platform, env: {} }),
      module.exports,
      module,
    )
  } catch (error) {
    send({
      kind: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    })
  }
}
