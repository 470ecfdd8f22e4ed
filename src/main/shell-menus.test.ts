import { describe, expect, test } from 'vitest'
import {
  applicationMenu,
  textMenu,
  trayMenu,
  type ClickedText,
  shellActions,
  type ShellAction,
} from './shell-menus.ts'

type MenuItemConstructorOptions = ReturnType<typeof applicationMenu>[number]

const ran: ShellAction[] = []
const run = (action: ShellAction) => ran.push(action)
const menuOf = (
  platform: NodeJS.Platform,
  isDevelopment = false,
  tool: 'install' | 'uninstall' | null = 'install',
) => applicationMenu({ platform, isDevelopment, tool, run })

/** Returns a menu as a person sees it: one line per entry, with its shortcut. */
function drawn(items: readonly MenuItemConstructorOptions[], indent = ''): string {
  return items
    .filter(({ visible }) => visible !== false)
    .map(({ label, role, type, accelerator, submenu, enabled }) => {
      const name = type === 'separator' ? '—' : (label ?? `(${role})`)
      const line = `${indent}${name}${accelerator === undefined ? '' : `  ${accelerator}`}${enabled === false ? '  (off)' : ''}`
      return Array.isArray(submenu) ? `${line}\n${drawn(submenu, `${indent}  `)}` : line
    })
    .join('\n')
}

function everyItem(items: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] {
  return items.flatMap((item) => [
    item,
    ...(Array.isArray(item.submenu) ? everyItem(item.submenu) : []),
  ])
}

describe('the application menu', () => {
  test.each(['darwin', 'win32', 'linux'] as const)('of %s is as drawn', async (platform) => {
    await expect(`${drawn(menuOf(platform))}\n`).toMatchFileSnapshot(
      `../../test/golden/menus/${platform}.txt`,
    )
  })

  test('only development builds have developer tools', () => {
    const hasTools = (isDevelopment: boolean) =>
      everyItem(menuOf('linux', isDevelopment)).some((item) => item.role === 'toggleDevTools')
    expect([hasTools(false), hasTools(true)]).toEqual([false, true])
  })

  test('of an installed app installs or uninstalls the command line tool; any other has no entry for it', () => {
    for (const platform of ['darwin', 'win32', 'linux'] as const) {
      const entries = ([null, 'install', 'uninstall'] as const).map((tool) =>
        everyItem(menuOf(platform, false, tool)).flatMap(({ label }) =>
          /line tool/i.test(label ?? '') ? [label] : [],
        ),
      )
      const labels = ['Install command line tool', 'Uninstall command line tool']
      const expected =
        platform === 'darwin'
          ? ['Install Command Line Tool', 'Uninstall Command Line Tool']
          : labels
      expect(entries).toEqual([[], [expected[0]], [expected[1]]])
    }
  })

  test.each(['darwin', 'win32', 'linux'] as const)(
    'of %s gives no shortcut to two entries',
    (platform) => {
      const shortcuts = everyItem(menuOf(platform)).flatMap(({ accelerator }) =>
        accelerator === undefined ? [] : [accelerator],
      )
      expect(shortcuts).toHaveLength(new Set(shortcuts).size)
    },
  )

  test('runs the action of each entry, and shortcuts that the page has are only shown', () => {
    for (const item of everyItem(menuOf('linux'))) {
      if (item.click === undefined) continue
      ran.length = 0
      Reflect.apply(item.click, item, [])
      const [action] = ran
      expect(ran).toEqual([shellActions[item.id?.split(' ')[0] as keyof typeof shellActions]])
      expect(item.registerAccelerator === false, item.label).toBe(action?.pageHasKey === true)
    }
  })
})

describe('the tray', () => {
  const state = {
    lines: ['Receiving on 127.0.0.1:4783', 'Last: R&D'],
    paused: false,
    canPause: true,
  }

  test('shows the state, which cannot be clicked, and then what can be done', () => {
    expect(drawn(trayMenu(state, { platform: 'linux', run }))).toBe(
      [
        'Receiving on 127.0.0.1:4783  (off)',
        'Last: R&&D  (off)',
        '—',
        'Open Countersign',
        'Pause capture',
        '—',
        'Quit',
      ].join('\n'),
    )
  })

  test('offers to resume while paused, and neither while the receiver is down', () => {
    expect(drawn(trayMenu({ ...state, paused: true }, { platform: 'darwin', run }))).toContain(
      'Resume Capture',
    )
    const down = drawn(trayMenu({ ...state, canPause: false }, { platform: 'linux', run }))
    expect(down).not.toMatch(/Pause|Resume/)
  })
})

const flags = {
  canUndo: false,
  canRedo: false,
  canCut: false,
  canCopy: true,
  canPaste: true,
  canDelete: false,
  canSelectAll: true,
  canEditRichly: false,
}
const clicked = (change: Partial<ClickedText>): ClickedText => ({
  isEditable: false,
  selectionText: '',
  editFlags: flags,
  ...change,
})

test('the context menu of text: editing in a field, Copy for a selection, none for anything else', () => {
  const field = textMenu(clicked({ isEditable: true })) ?? []
  expect(
    field.map(({ role, enabled }) => (role === undefined ? '—' : `${role} ${enabled}`)),
  ).toEqual([
    'undo false',
    'redo false',
    '—',
    'cut false',
    'copy true',
    'paste true',
    'delete false',
    '—',
    'selectAll true',
  ])
  expect(textMenu(clicked({ selectionText: 'abc' }))?.map(({ role }) => role)).toEqual(['copy'])
  expect(textMenu(clicked({ selectionText: '  ' }))).toBeNull()
})
