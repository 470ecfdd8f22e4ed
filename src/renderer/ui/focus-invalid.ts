/** A busy window draws a refusal some frames after it came. */
const MOST_FRAMES = 30

/** Brings whoever sent a form to the first field that was refused, once the refusal is drawn. */
export function focusFirstInvalid(form: HTMLFormElement | null): void {
  let frames = 0
  const look = () => {
    const field = form?.querySelector<HTMLElement>('[aria-invalid="true"]')
    if (field !== null && field !== undefined) field.focus()
    else if (++frames < MOST_FRAMES) requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}
