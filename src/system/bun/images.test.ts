import { expect, test } from 'bun:test';
import { createBunImages } from './images.ts';

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=',
  'base64',
);
const images = createBunImages();

test('a tall picture keeps its proportions within the side', async () => {
  const tall = await new Bun.Image(PIXEL).resize(40, 9_000, { fit: 'fill' }).png().bytes();
  const made = await images.fit(tall, { side: 1_000, bytes: 100_000 });
  const size = await new Bun.Image(made!.bytes).metadata();
  expect([made?.mediaType, size.height, size.width <= 5]).toEqual(['image/png', 1_000, true]);
});

test('what cannot be read or cannot be made that small is null', async () => {
  expect(await images.fit(new TextEncoder().encode('words'), { side: 10, bytes: 1_000 })).toBeNull();
  expect(await images.fit(PIXEL, { side: 10, bytes: 8 })).toBeNull();
});
