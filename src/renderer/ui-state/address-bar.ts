export interface AddressBar {
  hash(): string
  /** Writes the address, as a new entry of the history if `isNew`. */
  write(hash: string, isNew: boolean): void
  /** Calls back after Back (`isBack`), Forward, or an address that the user typed. */
  onMoved(listener: (isBack: boolean) => void): void
}

/**
 * Creates the page's address bar; entries are numbered, because browsers don't tell the direction.
 */
export function pageAddressBar(): AddressBar {
  const numberOf = (state: unknown) => (typeof state === 'number' ? state : null)
  let place = numberOf(history.state) ?? 0
  history.replaceState(place, '')
  return {
    hash: () => location.hash,
    write(hash, isNew) {
      if (isNew) history.pushState(++place, '', hash)
      else history.replaceState(place, '', hash)
    },
    onMoved(listener) {
      const move = () => {
        const before = place
        // An address that the user typed has no number yet.
        place = numberOf(history.state) ?? before + 1
        history.replaceState(place, '')
        listener(place < before)
      }
      window.addEventListener('popstate', move)
      window.addEventListener('hashchange', move)
    },
  }
}
