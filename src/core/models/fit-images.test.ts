import { expect, test } from 'bun:test';
import { pngHeader } from '../../../test/support/image-size.ts';
import { scriptedModel } from '../../../test/support/script.ts';
import { collectReply, plainRequest } from '../../../test/support/wire-asking.ts';
import type { Images } from '../../system/images.ts';
import { withFittingImages } from './fit-images.ts';
import type { ImageLimits, Message, UserPart } from './model.ts';

const LIMITS: ImageLimits = {
  side: 2_000,
  base64: 4_000,
  types: ['image/png'],
  shrinkTo: 1_000,
  many: { over: 2, side: 500 },
};

function picture(width: number, height: number, padding = 0, mediaType = 'image/png'): UserPart & { type: 'image' } {
  const base64 = pngHeader(width, height, padding).toString('base64');
  return { type: 'image', mediaType, base64, name: `${width}x${height}` };
}

/** Makes anything as small as asked, but for pictures 13 pixels wide. */
function fakeImages(): Images & { readonly asked: { side: number; bytes: number }[] } {
  const asked: { side: number; bytes: number }[] = [];
  return {
    asked,
    fit: async (bytes, within) => {
      asked.push(within);
      const width = Buffer.from(bytes).readUInt32BE(16);
      return width === 13 ? null : { mediaType: 'image/png', bytes: pngHeader(within.side, 1) };
    },
  };
}

const said = (...parts: UserPart[]): Message => ({ role: 'user', parts });

test('images within the limits go as they are; larger ones are sent smaller, and that is said once (UP-28)', async () => {
  const script = scriptedModel(['a', 'b']);
  const images = fakeImages();
  const model = withFittingImages(script, images, LIMITS);
  const small = picture(40, 30);
  const request = plainRequest([said(small, picture(40, 9_000))]);
  const first = await collectReply(model, request);
  const second = await collectReply(model, request);
  const notices = [...first.events, ...second.events].filter((event) => event.type === 'notice');
  expect(notices.map((event) => event.text)).toEqual(['40x9000 is larger than this model takes: it is sent smaller']);
  expect(images.asked).toEqual([{ side: 1_000, bytes: 2_997 }]);
  const sent = script.requests[1]?.messages[0];
  const [kept, made] = sent?.role === 'user' ? sent.parts : [];
  expect(kept).toEqual(small);
  expect(made).toMatchObject({ type: 'image', base64: pngHeader(1_000, 1).toString('base64') });
});

test('too many bytes and an unknown kind of picture are made into what the service takes (UP-28)', async () => {
  const images = fakeImages();
  const model = withFittingImages(scriptedModel(['a']), images, LIMITS);
  await collectReply(model, plainRequest([said(picture(40, 30, 4_000), picture(41, 30, 0, 'image/heic'))]));
  expect(images.asked).toHaveLength(2);
});

test('what cannot be made smaller is left out with words in its place, in a result too (UP-28)', async () => {
  const script = scriptedModel(['a']);
  const model = withFittingImages(script, fakeImages(), LIMITS);
  const bad = picture(13, 9_000);
  const results = [{ call: 'c', tool: 'look', text: 'seen', error: false, images: [bad] }];
  const { events } = await collectReply(model, plainRequest([said(bad), { role: 'results', results }]));
  expect(events.filter((event) => event.type === 'notice')).toHaveLength(1);
  const [user, answered] = script.requests[0]!.messages;
  expect(user).toEqual(
    said({ type: 'text', text: '[image "13x9000" left out: the model service takes none like it]' }),
  );
  expect(answered).toMatchObject({ results: [{ images: [], text: expect.stringContaining('seen\n[image') }] });
});

test('where there are many pictures each is smaller', async () => {
  const images = fakeImages();
  const model = withFittingImages(scriptedModel(['a']), images, LIMITS);
  await collectReply(model, plainRequest([said(picture(600, 1), picture(601, 1), picture(40, 1))]));
  expect(images.asked.map((one) => one.side)).toEqual([500, 500]);
});
