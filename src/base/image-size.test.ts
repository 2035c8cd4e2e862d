import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { imageSize } from './image-size.ts';

/** One pixel and a half, as an encoder writes them. */
async function encoded(format: 'png' | 'jpeg' | 'webp', lossless = false): Promise<Uint8Array> {
  const pixel = Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
    'base64',
  );
  const image = new Bun.Image(pixel).resize(37, 21, { fit: 'fill' });
  if (format === 'png') return image.png().bytes();
  return format === 'jpeg' ? image.jpeg().bytes() : image.webp({ lossless }).bytes();
}

test('the size of a picture is read from its first bytes', async () => {
  const gif = Uint8Array.from([0x47, 0x49, 0x46, 0x38, 0x39, 0x61, 37, 0, 21, 0]);
  for (const bytes of [
    await encoded('png'),
    await encoded('jpeg'),
    await encoded('webp'),
    await encoded('webp', true),
    gif,
  ]) {
    expect(imageSize(bytes)).toEqual({ width: 37, height: 21 });
  }
});

test('anything else has no size, and nothing is read past its end', async () => {
  const whole = await encoded('jpeg');
  fc.assert(fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => void imageSize(bytes)));
  for (let end = 0; end < whole.length; end++) imageSize(whole.subarray(0, end));
  expect(imageSize(new TextEncoder().encode('no picture at all, only words'))).toBeNull();
});
