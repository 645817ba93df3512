import { expect, it } from 'vitest'
import { expandBraces } from '../src/braces.js'
import { BadUri } from '../src/error-table.js'
import { literalPrefix, parseGlob } from '../src/glob.js'

const matches = (pattern: string, path: string) => parseGlob(pattern).matches(path)

// Rows without ** and {} give what fnmatch(pattern, path, FNM_PATHNAME) gives, which is what tf.io.gfile.glob uses.
it.each([
  ['train-*.tfrecord', 'train-0001.tfrecord', true],
  ['train-*.tfrecord', 'train-.tfrecord', true],
  ['train-*.tfrecord', 'train-1.tfrecord.gz', false],
  ['*', '.hidden', true],
  ['*', 'a/b', false],
  ['a/*', 'a/b/c', false],
  ['a/*/c', 'a/b/c', true],
  ['a/*/c', 'a//c', true],
  ['shard-?', 'shard-1', true],
  ['shard-?', 'shard-', false],
  ['shard-?', 'shard-10', false],
  ['a?b', 'a/b', false],
  ['?', '漢', true],
  ['?', '😀', true],
  ['[abc]', 'b', true],
  ['[abc]', 'd', false],
  ['[a-c]x', 'bx', true],
  ['[!a-c]', 'b', false],
  ['[^a-c]', 'd', true],
  ['[!a]', '/', false],
  ['[]]', ']', true],
  ['[!]]', ']', false],
  ['[a-]', '-', true],
  ['[-a]', '-', true],
  ['[\\]]', ']', true],
  ['[a', '[a', true],
  ['[]', '[]', true],
  ['[!', '[!', true],
  ['\\*', '*', true],
  ['\\*', 'a', false],
  ['photo (1)+@!.jp*', 'photo (1)+@!.jpg', true],
  ['a.b', 'axb', false],
  ['a**b', 'axxb', true],
  ['a**b', 'ax/b', false],
  ['', '', true],
  ['**', 'a', true],
  ['**', 'a/b/c', true],
  ['a/**', 'a', false],
  ['a/**', 'a/b', true],
  ['a/**/z', 'a/z', true],
  ['a/**/z', 'a/b/c/z', true],
  ['a/**/z', 'a/b/c/y', false],
  ['**/*.gz', 'x.gz', true],
  ['**/b/**/*.gz', 'a/b/c/d/x.gz', true],
  ['{train,val}-*', 'val-1', true],
  ['{train,val}-*', 'test-1', false],
  ['{a,b{c,d}}', 'bd', true],
  ['x{,.gz}', 'x', true],
  ['{a/b,c}/d', 'a/b/d', true],
  ['{a}', '{a}', true],
  ['{a,b', '{a,b', true],
  ['\\{a,b}', '{a,b}', true],
])('%j on %j is %j', (pattern, path, expected) => {
  expect(matches(pattern, path)).toBe(expected)
})

it('knows the text that every match begins with', () => {
  expect(literalPrefix('data/train-*.gz')).toBe('data/train-')
  expect(literalPrefix('data/{a,b}')).toBe('data/')
  expect(literalPrefix('data/x')).toBe('data/x')
})

it('takes no more than a moment for patterns made to be slow', () => {
  const start = performance.now()
  expect(matches(`${'*a'.repeat(500)}b`, 'a'.repeat(1000))).toBe(false)
  expect(matches(`${'**/a/'.repeat(200)}b`, 'a/'.repeat(1000))).toBe(false)
  // A backtracking matcher would not end within the age of the universe.
  expect(performance.now() - start).toBeLessThan(5000)
})

it('refuses patterns that stand for too much', () => {
  expect(() => expandBraces('{a,b}'.repeat(20))).toThrow('more than 1000 names')
  const failure = (() => {
    try {
      parseGlob('{'.repeat(5000))
    } catch (error) {
      return error
    }
  })()
  expect(BadUri.is(failure)).toBe(true)
})
