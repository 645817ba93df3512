import { expect, it } from 'vitest'
import { storageConfigFromEnv } from '../src/config.js'
import { joinUri, parseBucketUri, parseFileUri, schemeOf } from '../src/uri.js'

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
  expect(parseBucketUri('s3://bucket/a b+c%20d?#é/x')).toEqual({
    scheme: 's3',
    bucket: 'bucket',
    key: 'a b+c%20d?#é/x',
  })
  expect(parseBucketUri('s3://bucket/a//b\nc')).toEqual({ scheme: 's3', bucket: 'bucket', key: 'a//b\nc' })
  expect(parseBucketUri('s3://bucket')).toEqual({ scheme: 's3', bucket: 'bucket', key: '' })
  expect(parseBucketUri('gs://my_bucket/k')).toEqual({ scheme: 'gs', bucket: 'my_bucket', key: 'k' })
  expect(() => parseBucketUri('file:///a')).toThrow('does not start with s3:// or gs://')
  expect(() => parseBucketUri('s3:///key')).toThrow('"" is no bucket name')
  expect(() => parseBucketUri('s3://data-*/key')).toThrow('"data-*" is no bucket name')
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
  expect(schemeOf('gs://b/k')).toBe('gs')
  expect(schemeOf('HTTPS://host/k')).toBe('http')
  expect(() => schemeOf('az://b/k')).toThrow('"az://b/k": the scheme is none of s3:, gs:, file:, https: and http:')
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
  expect(
    storageConfigFromEnv({
      STOKER_GS_ENDPOINT: 'http://127.0.0.1:7070',
      STOKER_GS_ACCESS_KEY_ID: 'GOOG1',
      STOKER_GS_SECRET_ACCESS_KEY: 'secret',
      STOKER_HTTP_PRIVATE: 'data.internal, 10.1.0.0/16,::1',
    }),
  ).toMatchObject({
    gs: { endpoint: 'http://127.0.0.1:7070', credentials: { accessKeyId: 'GOOG1', secretAccessKey: 'secret' } },
    http: { privateHosts: ['data.internal', '10.1.0.0/16', '::1'] },
  })
  expect(() => storageConfigFromEnv({ STOKER_GS_ACCESS_KEY_ID: 'GOOG1' })).toThrow('STOKER_GS_SECRET_ACCESS_KEY=""')
  expect(() => storageConfigFromEnv({ STOKER_GS_ENDPOINT: 'storage' })).toThrow('expected an http: or https: address')
  expect(() => storageConfigFromEnv({ STOKER_HTTP_PRIVATE: 'http://data' })).toThrow('separated by ","')
  expect(() => storageConfigFromEnv({ STOKER_FILE_ROOTS: 'data' })).toThrow('expected absolute folders')
})
