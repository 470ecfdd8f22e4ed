/** The project's own rules, applied to the files that must break them (which the ordinary run leaves out). */
import { defineConfig } from 'oxlint'
import config from '../../oxlint.config.ts'

export default defineConfig({ ...config, ignorePatterns: [] })
