import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['libs/*/test/**/*.test.ts', 'apps/*/test/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', '**/dist/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: 'forks',
    // Real servers and processes on a shared machine: what fails twice in a row has failed.
    retry: process.env.CI ? 1 : 0,
  },
})
