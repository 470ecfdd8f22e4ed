/** The panes in their order on screen: the rail, then what the screen shows. F6 walks through them. */

export function focusNextPane(by: 1 | -1): void {
  const panes = [...document.querySelectorAll<HTMLElement>('[data-pane]')].filter((pane) => pane.closest('[inert]') === null)
  const at = panes.findIndex((pane) => pane.contains(document.activeElement))
  const next = panes[(at + by + panes.length) % panes.length]
  const target = next?.querySelector<HTMLElement>(
    '[role="grid"], [aria-current="page"], [role="tab"][aria-selected="true"], button, [tabindex="0"]',
  )
  target?.focus()
}

/** Back to the screen from what lies beside it: to what it lists, or to its place in the rail if it lists nothing. */
export function focusShownPane(): void {
  const list = document.querySelector<HTMLElement>('[data-pane]:not([data-pane="rail"]) [role="grid"]')
  const target = list ?? document.querySelector<HTMLElement>('nav [aria-current="page"]')
  target?.focus()
}
