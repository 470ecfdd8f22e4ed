/**
 * Chromium cannot be taught a scheme over its debugging protocol, so `app://HOST/` is shown to it as `https://HOST.app.test/`,
 * a secure origin of its own whose every request the stand-in answers. Nothing of it touches the network.
 */

const SUFFIX = '.app.test'

/** Pattern of all addresses that stand for a custom scheme's. */
export const STANDIN_PATTERN = `https://*${SUFFIX}/*`

/** The address Chromium is given for one of the app's. Others stay as they are. */
export function toChromium(url: string): string {
  const found = /^app:\/\/([^/?#]+)(.*)$/s.exec(url)
  return found === null ? url : `https://${found[1]}${SUFFIX}${found[2]}`
}

/** The address the app is told for one of Chromium's. Others stay as they are. */
export function fromChromium(url: string): string {
  const found = /^https:\/\/([^/?#]+)\.app\.test(.*)$/s.exec(url)
  return found === null ? url : `app://${found[1]}${found[2]}`
}
