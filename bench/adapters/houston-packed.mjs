// Houston as installed from its package: HOUSTON_PACKED is the folder `npm install houston-VERSION.tgz` was run in.
import path from 'node:path';
import houston from './houston.mjs';
const installed = () => process.env.HOUSTON_PACKED ?? path.resolve('houston-packed');
export default {
  ...houston,
  name: 'houston-packed',
  command: () => ({ cmd: path.join(installed(), 'node_modules/.bin/houston'), args: [] }),
  install: [installed()],
  version: () => 'packed',
};
