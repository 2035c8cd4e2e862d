// Mission Control on a terminal in memory, with a true session behind it: what is pressed really happens.
import type { Model } from '../../src/core/models/model.ts';
import { type House, type HouseOptions, openHouse } from './controller.ts';
import { type Driver, type DriverOptions, drive } from './driver.ts';

export interface Flight {
  readonly driver: Driver;
  readonly house: House;
  /** Types a line, sends it, and waits until nothing runs any more. */
  say(text: string): Promise<void>;
  /** Lets the session come to rest and the screen follow. */
  rest(): Promise<void>;
}

export async function withHouse(
  script: Model,
  options: Partial<HouseOptions> = {},
  screen: DriverOptions = {},
): Promise<Flight> {
  const house = await openHouse({ script, ...options });
  const driver = await drive({ columns: 110, rows: 34, ...screen, wrap: () => house.session });
  const rest = async () => {
    await house.idle();
    await driver.wait(60);
    await house.settle();
    await driver.wait(60);
  };
  await rest();
  return {
    driver,
    house,
    rest,
    say: async (text) => {
      await driver.type(text);
      await driver.press('enter');
      await rest();
    },
  };
}
