import { describe, expect, test } from 'vitest'
import { createKeyReader, keyMap, type KeyBinding, type KeyPress, type KeySurroundings } from './key-map.ts'

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
  test('a key acts by itself', () => {
    expect(actionOf([press('j')])).toBe('next')
    expect(actionOf([press(' ')])).toBe('peek')
    expect(actionOf([press('?', { shift: true })])).toBe('shortcuts')
  })

  test('two keys in a row act together, and a wrong second one is forgotten', () => {
    expect(actionOf([press('g'), press('h')])).toBe('go-hooks')
    expect(actionOf([press('g'), press(',')])).toBe('go-settings')
    expect(actionOf([press('g'), press('x'), press('h')])).toBeNull()
  })

  test('Mod is Ctrl, and the command key on Apple machines', () => {
    expect(actionOf([press('k', { ctrl: true })])).toBe('palette')
    expect(actionOf([press('k', { meta: true })])).toBeNull()
    expect(actionOf([press('k', { meta: true })], { isApple: true })).toBe('palette')
    expect(actionOf([press('Z', { ctrl: true, shift: true })])).toBe('redo')
    expect(actionOf([press('!', { ctrl: true, shift: true })])).toBeNull()
  })

  test('what lies over the page has the keys to itself, but for cancelling what goes on behind it', () => {
    expect(actionOf([press('k', { ctrl: true })], { inDialog: true })).toBeNull()
    expect(actionOf([press('g'), press('h')], { inDialog: true })).toBeNull()
    expect(actionOf([press('.', { ctrl: true })], { inDialog: true, inText: true })).toBe('cancel-replays')
  })

  test('letters do not act in text, nor where they are switched off', () => {
    expect(actionOf([press('j')], { inText: true })).toBeNull()
    expect(actionOf([press('j')], { singleKeys: false })).toBeNull()
    expect(actionOf([press('g'), press('d')], { singleKeys: false })).toBeNull()
    expect(actionOf([press('g'), press(',')], { inText: true })).toBeNull()
    expect(actionOf([press(',', { ctrl: true })], { inText: true, singleKeys: false })).toBe('go-settings')
    expect(actionOf([press('Escape')], { inText: true, singleKeys: false })).toBe('back')
  })

  test('a control that has the focus keeps arrows, Enter and Space', () => {
    for (const key of ['ArrowDown', 'Enter', ' ', 'Home']) expect(actionOf([press(key)], { listFocus: false })).toBeNull()
    expect(actionOf([press('j')], { listFocus: false })).toBe('next')
  })

  test('keys of a place act only there', () => {
    expect(actionOf([press('2')], { scopes: ['everywhere', 'list'] })).toBeNull()
    expect(actionOf([press('j')], { scopes: ['everywhere'] })).toBeNull()
  })
})

describe('the table', () => {
  const all = (keyMap as readonly KeyBinding[]).flatMap((binding) => binding.keys.map((keys) => ({ ...binding, keys })))

  test('takes nothing that the browser needs: tabs, windows, the address, reload, print', () => {
    for (const { keys } of all) expect(keys).not.toMatch(/^Mod\+([ntwlrp]|Tab|[1-9])$/i)
  })

  test('uses no key twice in one place', () => {
    const places = all.map(({ keys, scope }) => `${scope} ${keys}`)
    expect(new Set(places).size).toBe(places.length)
  })
})
