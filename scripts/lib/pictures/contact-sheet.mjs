/** Returns a page that shows pictures by screen and state. */
export function contactSheet(pictures) {
  const groups = Map.groupBy(pictures, ({ screen, state }) => `${screen}, ${state}`)
  const section = ([title, shown]) =>
    `<h2>${title}</h2>${shown.map(({ name }) => `<a href="${name}"><img loading="lazy" src="${name}" alt="${name}"></a>`).join('')}`
  return `<!doctype html><meta charset="utf-8"><title>Every screen</title>
<style>body{font:14px sans-serif;background:#777}img{width:420px;margin:4px}</style>
${[...groups].map(section).join('\n')}
`
}
