/**
 * Where the window may go, and what may leave it. It shows one page and never another; a link to the web opens in the
 * system's browser, and only after the user did something: a page cannot open addresses by itself.
 */

/** How long after a click or key press an address may still be opened, in milliseconds: that of Chromium's own activation. */
export const ACTIVATION_MS = 5_000

/** May a frame of the window load this address? Only its own page again (a reload). `home` ends in a slash. */
export function mayNavigate(url: string, home: string): boolean {
  return url === home || url === `${home}index.html` || url.startsWith(`${home}#`) || url.startsWith(`${home}index.html#`)
}

/**
 * May this address be handed to the system's browser? Only http and https: other schemes start programs.
 * `sinceInput` is the time since the user's last click or key press, in milliseconds.
 */
export function mayOpenOutside(url: string, sinceInput: number): boolean {
  if (sinceInput > ACTIVATION_MS || !URL.canParse(url)) return false
  const { protocol, username, password } = new URL(url)
  return (protocol === 'https:' || protocol === 'http:') && username === '' && password === ''
}
