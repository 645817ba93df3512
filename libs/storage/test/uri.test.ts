import { expect, it } from 'vitest'
import { storageConfigFromEnv } from '../src/config.js'
import { joinUri, parseFileUri, parseS3Uri, schemeOf } from '../src/uri.js'

it('joins with exactly one slash', () => {
  expect(joinUri('s3://b/p', 'x/y')).toBe('s3://b/p/x/y')
  expect(joinUri('s3://b/p/', '/x/', '', 'y')).toBe('s3://b/p/x/y')
  expect(joinUri('s3://b', 'x')).toBe('s3://b/x')
  expect(joinUri('file:///d', 'x')).toBe('file:///d/x')
  expect(joinUri('file:///', 'x')).toBe('file:///x')
  expect(joinUri('file:rel', 'x')).toBe('file:rel/x')
  expect(joinUri('file:', 'x')).toBe('file:x')
  expect(joinUri('s3://b/p')).toBe('s3://b/p')
})

it('takes everything after the bucket as the key, character by character', () => {
  expect(parseS3Uri('s3://bucket/a b+c%20d?#é/x')).toEqual({ bucket: 'bucket', key: 'a b+c%20d?#é/x' })
  expect(parseS3Uri('s3://bucket/a//b\nc')).toEqual({ bucket: 'bucket', key: 'a//b\nc' })
  expect(parseS3Uri('s3://bucket')).toEqual({ bucket: 'bucket', key: '' })
  expect(() => parseS3Uri('s3:///key')).toThrow('"" is no bucket name')
  expect(() => parseS3Uri('s3://data-*/key')).toThrow('"data-*" is no bucket name')
})

it('reads absolute, relative and untidy file: URIs', () => {
  expect(parseFileUri('file:///a/b', '/root')).toBe('/a/b')
  expect(parseFileUri('file:/a/b', undefined)).toBe('/a/b')
  expect(parseFileUri('file:a/b', '/root')).toBe('/root/a/b')
  expect(parseFileUri('file:///a/./b/../c%20d', undefined)).toBe('/a/c%20d')
  expect(() => parseFileUri('file://host/a', '/root')).toThrow('names no host')
  expect(() => parseFileUri('file:a', undefined)).toThrow('STOKER_FILE_ROOTS')
  expect(() => parseFileUri('file:///a\0b', '/root')).toThrow('zero byte')
})

it('names the scheme it does not know', () => {
  expect(schemeOf('s3://b/k')).toBe('s3')
  expect(schemeOf('file:x')).toBe('file')
  expect(() => schemeOf('gs://b/k')).toThrow('"gs://b/k": the scheme is neither s3: nor file:')
})

it('reads its settings and says what is allowed where one is wrong', () => {
  expect(storageConfigFromEnv({})).toEqual({ fileRoots: [], s3: {} })
  expect(
    storageConfigFromEnv({
      STOKER_FILE_ROOTS: '/data:/scratch',
      STOKER_S3_ENDPOINT: 'http://127.0.0.1:7070',
      STOKER_S3_REGION: 'eu-west-1',
      STOKER_S3_PATH_STYLE: 'false',
    }),
  ).toEqual({
    fileRoots: ['/data', '/scratch'],
    s3: { endpoint: 'http://127.0.0.1:7070', region: 'eu-west-1', forcePathStyle: false },
  })
  expect(() => storageConfigFromEnv({ STOKER_S3_PATH_STYLE: 'ja' })).toThrow(
    'STOKER_S3_PATH_STYLE="ja": expected true or false',
  )
  expect(() => storageConfigFromEnv({ STOKER_S3_ENDPOINT: 'minio:9000' })).toThrow(
    'expected an http: or https: address',
  )
  expect(() => storageConfigFromEnv({ STOKER_FILE_ROOTS: 'data' })).toThrow('expected absolute folders')
})
