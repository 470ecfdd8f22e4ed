import { afterEach, describe, expect, test } from 'vitest'
import {
  bindingsWith,
  conflictOf,
  isReserved,
  defaultBindings,
} from '../../shared/model/key-table.ts'
import {
  applyKeys,
  createKeyReader,
  isKeyOf,
  keyLines,
  keysOf,
  type KeyPress,
  type KeySurroundings,
} from './key-map.ts'

const surroundings: KeySurroundings = {
  inText: false,
  inDialog: false,
  listFocus: true,
  singleKeys: true,
  scopes: ['everywhere', 'list', 'detail'],
  isApple: false,
}

function press(key: string, modifiers: Partial<KeyPress> = {}): KeyPress {
  return { key, ctrl: false, meta: false, alt: false, shift: false, ...modifiers }
}

function actionOf(presses: readonly KeyPress[], around: Partial<KeySurroundings> = {}) {
  const read = createKeyReader()
  return presses.map((one) => read(one, { ...surroundings, ...around })).at(-1)
}

describe('reading keys', () => {
  test('a single key triggers its action', () => {
    expect(actionOf([press('j')])).toBe('next')
    expect(actionOf([press(' ')])).toBe('peek')
    expect(actionOf([press('?', { shift: true })])).toBe('shortcuts')
  })

  test('a two-key sequence triggers its action, and a wrong second key cancels it', () => {
    expect(actionOf([press('g'), press('h')])).toBe('go-hooks')
    expect(actionOf([press('g'), press(',')])).toBe('go-settings')
    expect(actionOf([press('g'), press('x'), press('h')])).toBeNull()
  })

  test('Mod is Ctrl, and Command on macOS', () => {
    expect(actionOf([press('k', { ctrl: true })])).toBe('palette')
    expect(actionOf([press('k', { meta: true })])).toBeNull()
    expect(actionOf([press('k', { meta: true })], { isApple: true })).toBe('palette')
    expect(actionOf([press('Backspace', { ctrl: true, shift: true })])).toBe('clear-shown')
    expect(actionOf([press('!', { ctrl: true, shift: true })])).toBeNull()
  })

  test('an overlay keeps the keys to itself, except the one that cancels a replay', () => {
    expect(actionOf([press('k', { ctrl: true })], { inDialog: true })).toBeNull()
    expect(actionOf([press('g'), press('h')], { inDialog: true })).toBeNull()
    expect(actionOf([press('.', { ctrl: true })], { inDialog: true, inText: true })).toBe(
      'cancel-replays',
    )
  })

  test('letters do nothing in text fields or when disabled', () => {
    expect(actionOf([press('j')], { inText: true })).toBeNull()
    expect(actionOf([press('j')], { singleKeys: false })).toBeNull()
    expect(actionOf([press('g'), press('d')], { singleKeys: false })).toBeNull()
    expect(actionOf([press('g'), press(',')], { inText: true })).toBeNull()
    expect(actionOf([press(',', { ctrl: true })], { inText: true, singleKeys: false })).toBe(
      'go-settings',
    )
    expect(actionOf([press('Escape')], { inText: true, singleKeys: false })).toBe('back')
  })

  test('a focused control keeps arrows, Enter and Space', () => {
    for (const key of ['ArrowDown', 'Enter', ' ', 'Home'])
      expect(actionOf([press(key)], { listFocus: false })).toBeNull()
    expect(actionOf([press('j')], { listFocus: false })).toBe('next')
  })

  test('keys of one screen work only there', () => {
    expect(actionOf([press('2')], { scopes: ['everywhere', 'list'] })).toBeNull()
    expect(actionOf([press('j')], { scopes: ['everywhere'] })).toBeNull()
  })
})

describe('the key map', () => {
  const all = defaultBindings.flatMap((binding) =>
    binding.keys.map((keys) => ({ ...binding, keys })),
  )

  test('uses no browser shortcuts: tabs, windows, the URL bar, reload, print', () => {
    for (const { keys } of all) expect(keys).not.toMatch(/^Mod\+([ntwlrp]|Tab|[1-9])$/i)
  })

  test('uses no key twice on one screen', () => {
    const places = all.map(({ keys, scope }) => `${scope} ${keys}`)
    expect(new Set(places).size).toBe(places.length)
  })
})

describe("the user's keys", () => {
  afterEach(() => {
    applyKeys({})
  })

  test('replace the default keys wherever keys are read or shown', () => {
    applyKeys({ replay: 'q', 'go-hooks': 'Mod+j', pin: '', 'composer-send': 'F9' })
    expect([actionOf([press('q')]), actionOf([press('r')]), actionOf([press('p')])]).toEqual([
      'replay',
      null,
      null,
    ])
    expect(actionOf([press('j', { ctrl: true })])).toBe('go-hooks')
    expect(actionOf([press('g'), press('h')])).toBeNull()
    expect([keysOf('replay'), keysOf('pin'), keysOf('open')]).toEqual(['q', '', 'Enter'])
    expect(keyLines().find(({ action }) => action === 'replay')?.keys).toEqual(['q'])
    expect(isKeyOf('composer-send', press('F9'), false)).toBe(true)
    expect(isKeyOf('composer-send', press('Enter', { ctrl: true }), false)).toBe(false)
    applyKeys({})
    expect(actionOf([press('r')])).toBe('replay')
  })

  test('leave the arrow keys of a list, and a key that buttons need works only where the list has the focus', () => {
    applyKeys({ next: 'b', pin: 'Home' })
    expect([
      actionOf([press('b')]),
      actionOf([press('ArrowDown')]),
      actionOf([press('j')]),
    ]).toEqual(['next', 'next', null])
    expect(actionOf([press('Home')], { listFocus: false })).toBeNull()
  })

  test('conflict with a command that has them, or whose sequence starts with them', () => {
    expect(conflictOf('pin', 'r', {})).toMatchObject({
      action: 'replay',
      meaning: 'Replay delivery or selection',
    })
    expect(conflictOf('pin', 'g', {})?.action).toBe('go-deliveries')
    expect(conflictOf('pin', '1', {})?.action).toBe('tab-overview')
    expect(conflictOf('pin', 'p', {})).toBeNull()
    // Flows and the list are never shown together.
    expect(conflictOf('flow-replay', 'p', {})).toBeNull()
    expect(conflictOf('flow-replay', '?', {})?.action).toBe('shortcuts')
    expect(conflictOf('pin', 'r', { replay: 'q' })).toBeNull()
    expect(conflictOf('pin', 'q', { replay: 'q' })?.action).toBe('replay')
  })

  test("can't be those of the browser", () => {
    for (const keys of ['Mod+t', 'Mod+5', 'Tab', 'F5', 'Mod+c'])
      expect(isReserved(keys), keys).toBe(true)
    for (const keys of ['g t', 't', 'Mod+j', 'F8']) expect(isReserved(keys), keys).toBe(false)
  })

  test('have defaults without conflicts', () => {
    for (const { action, keys } of bindingsWith({}))
      for (const one of keys) expect(conflictOf(action, one, {}), `${action} ${one}`).toBeNull()
  })
})
