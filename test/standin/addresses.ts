/**
 * Chromium's debugging protocol can't register a scheme, so `app://HOST/` becomes `https://HOST.app.test/`, a separate secure
 * origin whose requests the stand-in responds to itself. Nothing reaches the network.
 */

const SUFFIX = '.app.test'

/** Pattern of all URLs that replace those of a custom scheme. */
export const STANDIN_PATTERN = `https://*${SUFFIX}/*`

/** Converts one of the app's URLs to Chromium's. Other URLs stay unchanged. */
export function toChromium(url: string): string {
  const found = /^app:\/\/([^/?#]+)(.*)$/s.exec(url)
  return found === null ? url : `https://${found[1]}${SUFFIX}${found[2]}`
}

/** Converts one of Chromium's URLs to the app's. Other URLs stay unchanged. */
export function fromChromium(url: string): string {
  const found = /^https:\/\/([^/?#]+)\.app\.test(.*)$/s.exec(url)
  return found === null ? url : `app://${found[1]}${found[2]}`
}
