/**
 * Controls by role and name, and what tests do with them again and again. `within` is the page or a
 * part of it.
 */
import type { Locator, Page } from '@playwright/test'

type Within = Page | Locator
type Role = Parameters<Page['getByRole']>[0]
type Name = string | RegExp
/** A text matches a part of the name, in any case; with `exact`, the whole name as written. */
type Options = Omit<NonNullable<Parameters<Page['getByRole']>[1]>, 'name'>

const named =
  (role: Role) =>
  (within: Within, name: Name, options: Options = {}): Locator =>
    within.getByRole(role, { ...options, name })

export const buttonIn = named('button')
export const dialogIn = named('dialog')
export const groupIn = named('group')
export const headingIn = named('heading')
export const menuItemIn = named('menuitem')
export const regionIn = named('region')
export const tabIn = named('tab')

export const deliveryIn = (within: Within) => regionIn(within, 'Delivery', { exact: true })

export async function click(within: Within, name: Name, options?: Options): Promise<void> {
  await buttonIn(within, name, options).click()
}

export async function chooseInList(page: Page, name: Name): Promise<void> {
  await click(regionIn(page, 'List', { exact: true }), 'More', { exact: true })
  await menuItemIn(page, name).click()
}

/** Writes into a field after a click into it: whatever is drawn over it would take the click. */
export async function write(field: Locator, text: string): Promise<void> {
  await field.click()
  await field.fill(text)
}

export async function fill(
  within: Within,
  label: Name,
  text: string,
  options?: Pick<Options, 'exact'>,
): Promise<void> {
  await write(within.getByLabel(label, options), text)
}

/** Chooses a radio button by a click on its label, which is drawn over it. */
export async function choose(within: Within, name: Name): Promise<void> {
  await within.getByRole('radio', { name }).locator('xpath=ancestor::label').click()
}

export async function select(
  within: Within,
  label: Name,
  choice: Name,
  options?: Pick<Options, 'exact'>,
): Promise<void> {
  const field = within.getByRole('combobox', { ...options, name: label })
  await field.click()
  await field.page().getByRole('option', { exact: true, name: choice }).click()
}

export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key)
}

export async function goTo(page: Page, screen: string): Promise<void> {
  await click(page.getByRole('navigation', { name: 'Navigation' }), screen)
}

export async function searchCommands(page: Page, words: string): Promise<void> {
  await press(page, 'ControlOrMeta+k')
  await fill(page, 'Search commands', words)
}

/** Returns the text in an editor, as far as it is drawn. */
export async function textOf(editor: Locator): Promise<string> {
  return (await editor.locator('.cm-line').allTextContents()).join('\n')
}

export async function retype(editor: Locator, text: string): Promise<void> {
  await editor.click()
  await press(editor.page(), 'ControlOrMeta+a')
  await editor.page().keyboard.insertText(text)
}
