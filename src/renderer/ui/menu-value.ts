/** Value of a delivery, such as a cell of the list or a header. */
export interface MenuValue {
  /** Label, such as `Event` or `content-type`. */
  readonly name: string
  readonly text: string
  /** Search term that finds deliveries with this value; null if none can. */
  readonly term: string | null
}

/** Returns the attributes that mark an element as a value, for the context menu. */
export function menuValue({ name, text, term }: MenuValue) {
  return {
    'data-value-name': name,
    'data-value': text,
    ...(term === null ? {} : { 'data-value-term': term }),
  }
}
