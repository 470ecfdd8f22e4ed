/**
 * Converts `app://HOST/` to the separate secure origin `https://HOST.app.test/`, because Chromium's
 * debugging protocol can't register a scheme. Nothing reaches the network.
 */

const SUFFIX = '.app.test'

export const STANDIN_PATTERN = `https://*${SUFFIX}/*`

export function toChromium(url: string): string {
  const match = /^app:\/\/([^/?#]+)(.*)$/s.exec(url)
  return match === null ? url : `https://${match[1]}${SUFFIX}${match[2]}`
}

export function fromChromium(url: string): string {
  const match = /^https:\/\/([^/?#]+)\.app\.test(.*)$/s.exec(url)
  return match === null ? url : `app://${match[1]}${match[2]}`
}
