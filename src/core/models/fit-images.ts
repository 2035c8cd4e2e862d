import { imageSize } from '../../base/image-size.ts';
import type { Images } from '../../system/images.ts';
import type { CallResult, ImageLimits, Message, Model, ModelEvent, ModelRequest, UserPart } from './model.ts';

type Image = Extract<UserPart, { type: 'image' }>;

/** What is sent in place of an image: the image itself, one made smaller, or words. */
type Fitted = { readonly image: Image } | { readonly words: string };

/** Bytes at the beginning that say how large a picture is, cameras' notes before it included. */
const HEADER_BASE64 = 512 * 1024;

/**
 * The same model, asked only with images its service takes: one beyond the limits is made smaller, or left out with
 * words in its place. Either is said once. What is stored stays as it was.
 */
export function withFittingImages(model: Model, images: Images, limits: ImageLimits): Model {
  const known = new Map<string, Promise<Fitted>>();
  const told = new Set<string>();
  return {
    ref: model.ref,
    facts: model.facts,
    async *stream(request, signal): AsyncGenerator<ModelEvent, void, undefined> {
      const notices: string[] = [];
      const side = sideFor(request, limits);
      const fit = async (image: Image): Promise<Fitted> => {
        if (fits(image, side, limits)) return { image };
        const key = `${side}:${image.base64}`;
        const found = known.get(key) ?? made(image, images, side, limits);
        known.set(key, found);
        const fitted = await found;
        if (!told.has(image.base64)) notices.push(noticeOf(image, fitted));
        told.add(image.base64);
        return fitted;
      };
      const fitting = hasImages(request) ? { ...request, messages: await fitAll(request.messages, fit) } : request;
      for (const text of notices) yield { type: 'notice', identifier: 'image-fitted', text };
      yield* model.stream(fitting, signal);
    },
    // With pictures it may go out otherwise than it is here.
    ready: (request) => {
      if (!hasImages(request)) model.ready?.(request);
    },
  };
}

/** Services take smaller pictures where there are many of them. */
function sideFor({ messages }: ModelRequest, { side, many }: ImageLimits): number {
  if (many === null) return side;
  const count = messages.reduce((sum, message) => sum + countOf(message), 0);
  return count > many.over ? many.side : side;
}

function hasImages({ messages }: ModelRequest): boolean {
  return messages.some((message) => countOf(message) > 0);
}

/** By message: those of a long conversation are asked about with each request, and never change. */
const counts = new WeakMap<Message, number>();

function countOf(message: Message): number {
  const known = counts.get(message);
  if (known !== undefined) return known;
  const count = imagesOf(message).length;
  counts.set(message, count);
  return count;
}

function imagesOf(message: Message): readonly Image[] {
  if (message.role === 'user') return message.parts.filter((part) => part.type === 'image');
  return message.role === 'results' ? message.results.flatMap((result) => result.images) : [];
}

function fits(image: Image, side: number, limits: ImageLimits): boolean {
  if (image.base64.length > limits.base64 || !limits.types.includes(image.mediaType)) return false;
  const size = imageSize(Buffer.from(image.base64.slice(0, HEADER_BASE64), 'base64'));
  return size === null || Math.max(size.width, size.height) <= side;
}

async function made(image: Image, images: Images, side: number, limits: ImageLimits): Promise<Fitted> {
  const bytes = Math.floor((limits.base64 / 4) * 3) - 3;
  const smaller = await images.fit(Buffer.from(image.base64, 'base64'), {
    side: Math.min(side, limits.shrinkTo),
    bytes,
  });
  if (smaller === null)
    return { words: `[image ${JSON.stringify(image.name)} left out: the model service takes none like it]` };
  const base64 = Buffer.from(smaller.bytes).toString('base64');
  return { image: { ...image, mediaType: smaller.mediaType, base64 } };
}

function noticeOf({ name }: Image, fitted: Fitted): string {
  return 'image' in fitted
    ? `${name} is larger than this model takes: it is sent smaller`
    : `${name} cannot be sent to this model: it is left out`;
}

async function fitAll(messages: readonly Message[], fit: (image: Image) => Promise<Fitted>): Promise<Message[]> {
  const part = async (one: UserPart): Promise<UserPart> => {
    if (one.type === 'text') return one;
    const fitted = await fit(one);
    return 'image' in fitted ? fitted.image : { type: 'text', text: fitted.words };
  };
  const result = async (one: CallResult): Promise<CallResult> => {
    const fitted = await Promise.all(one.images.map(fit));
    const words = fitted.flatMap((each) => ('words' in each ? [each.words] : []));
    return {
      ...one,
      text: [one.text, ...words].join('\n'),
      images: fitted.flatMap((each) => ('image' in each ? [each.image] : [])),
    };
  };
  return Promise.all(
    messages.map(async (message): Promise<Message> => {
      if (message.role === 'user') return { ...message, parts: await Promise.all(message.parts.map(part)) };
      if (message.role === 'results') return { ...message, results: await Promise.all(message.results.map(result)) };
      return message;
    }),
  );
}
