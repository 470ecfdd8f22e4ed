/**
 * The one answer to "may this frame speak to the core?": the top frame of our own window, showing our own page. Everything
 * that listens to the window's messages asks here.
 */

/** What is known of the frame that a message came from. */
export interface MessageSender {
  /** Address of the frame's document; null where the frame is gone already. */
  readonly url: string | null
  readonly isTopFrame: boolean
  readonly isOwnWindow: boolean
}

/**
 * `home` is the address of the app's root, ending in a slash. Addresses are compared as text: the origin of a scheme that
 * Node does not know is "null" for all of them, so parsed origins would make every such page one of ours.
 */
export function mayCallCore(sender: MessageSender, home: string): boolean {
  return sender.isOwnWindow && sender.isTopFrame && sender.url !== null && sender.url.startsWith(home)
}
