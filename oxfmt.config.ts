/** Layout of code, documents and data. The tests of generated pages use it too. */
import type { OxfmtConfig } from 'oxfmt'

export const layout = {
  semi: false,
  singleQuote: true,
  printWidth: 100,
  trailingComma: 'all',
  sortPackageJson: false,
} satisfies OxfmtConfig

export default {
  ...layout,
  ignorePatterns: ['test/fixtures', 'test/golden/*.json', 'test/golden/*.md'],
} satisfies OxfmtConfig
