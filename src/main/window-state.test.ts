import { describe, expect, test } from 'vitest'
import { parseWindowState, placeWindow, SMALLEST, zoomed } from './window-state.ts'

const laptop = { x: 0, y: 25, width: 1_440, height: 875 }
const monitor = { x: 1_440, y: 0, width: 2_560, height: 1_440 }

describe('reading the state', () => {
  test('reads a saved state', () => {
    const state = {
      bounds: { x: -5, y: 10, width: 900, height: 700 },
      maximized: true,
      fullScreen: false,
      zoom: 1,
    }
    expect(parseWindowState(JSON.stringify(state))).toEqual(state)
  })

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{"bounds":{}}',
    '{"bounds":{"x":0,"y":0,"width":0,"height":1},"maximized":false}',
  ])('ignores %j', (text) => {
    expect(parseWindowState(text)).toBeNull()
  })

  test('ignores sizes that are not pixels', () => {
    const text = JSON.stringify({
      bounds: { x: 1e9, y: 0, width: 1, height: 1 },
      maximized: false,
      fullScreen: false,
      zoom: 1,
    })
    expect(parseWindowState(text)).toBeNull()
    expect(parseWindowState(text.replace('1000000000', '0.5'))).toBeNull()
  })
})

test('a state from before full screen and zoom were saved is still read', () => {
  const old = { bounds: { x: 1, y: 2, width: 900, height: 700 }, maximized: true }
  expect(parseWindowState(JSON.stringify(old))).toEqual({ ...old, fullScreen: false, zoom: 1 })
})

test('zoom goes step by step and stays within its limits', () => {
  expect(zoomed(1, 'in')).toBe(1.1)
  // As Chromium reports 0.9.
  expect(zoomed(0.900_000_036, 'out')).toBe(0.8)
  expect(zoomed(2.5, 'reset')).toBe(1)
  expect(zoomed(3, 'in')).toBe(3)
  expect(zoomed(0.5, 'out')).toBe(0.5)
})

describe('placing the window', () => {
  test('centers the first window on the primary display', () => {
    expect(placeWindow(null, [laptop, monitor])).toEqual({
      bounds: { x: 80, y: 53, width: 1_280, height: 820 },
      maximized: false,
      fullScreen: false,
      zoom: 1,
    })
  })

  test('keeps the place if its display still exists', () => {
    const saved = {
      bounds: { x: 2_000, y: 100, width: 1_000, height: 700 },
      maximized: true,
      fullScreen: true,
      zoom: 1.25,
    }
    expect(placeWindow(saved, [laptop, monitor])).toEqual(saved)
  })

  test('moves a window from a missing display to the primary one, with its size', () => {
    const saved = {
      bounds: { x: 2_000, y: 100, width: 1_000, height: 700 },
      maximized: false,
      fullScreen: false,
      zoom: 1,
    }
    expect(placeWindow(saved, [laptop]).bounds).toEqual({
      x: 220,
      y: 113,
      width: 1_000,
      height: 700,
    })
  })

  test('moves a window back if its title bar is out of reach', () => {
    const above = {
      bounds: { x: 100, y: -300, width: 1_000, height: 700 },
      maximized: false,
      fullScreen: false,
      zoom: 1,
    }
    expect(placeWindow(above, [laptop]).bounds.y).toBeGreaterThanOrEqual(laptop.y)
    const beside = {
      bounds: { x: 1_400, y: 100, width: 1_000, height: 700 },
      maximized: false,
      fullScreen: false,
      zoom: 1,
    }
    expect(placeWindow(beside, [laptop]).bounds.x).toBe(220)
  })

  test('limits the size to the minimum and the display', () => {
    const saved = {
      bounds: { x: 0, y: 25, width: 9_000, height: 10 },
      maximized: false,
      fullScreen: false,
      zoom: 1,
    }
    expect(placeWindow(saved, [laptop]).bounds).toEqual({
      x: 0,
      y: 25,
      width: 1_440,
      height: SMALLEST.height,
    })
  })

  test('creates a window even without a display', () => {
    expect(placeWindow(null, []).bounds.width).toBeGreaterThanOrEqual(SMALLEST.width)
  })
})
